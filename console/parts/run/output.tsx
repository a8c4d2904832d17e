import type { ReactNode } from 'react'
import { JsonView } from '../../ui/text/json-view.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'

interface Props {
  of: { output: string | null; output_json: Record<string, unknown> | null }
  /** How many characters of a text are shown at first. */
  limit?: number
}

/** What an agent answered: its object where it has one, else its text, which is Markdown. */
export function Output({ of: { output, output_json: object }, limit = 4_000 }: Props): ReactNode {
  return object === null ? (
    <Markdown text={output ?? ''} limit={limit} />
  ) : (
    <JsonView value={object} />
  )
}
