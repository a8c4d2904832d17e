import type { ReactNode } from 'react'
import { JsonView } from '../../ui/text/json-view.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'

interface Props {
  of: { output: string | null; output_json: Record<string, unknown> | null }
  /** How many characters of a text are shown at first. */
  limit?: number
}

/** The output of an agent: its JSON object, or its text as Markdown. */
export function Output({ of: { output, output_json: object }, limit = 4_000 }: Props): ReactNode {
  return object === null ? (
    <Markdown text={output ?? ''} limit={limit} />
  ) : (
    <JsonView value={object} />
  )
}
