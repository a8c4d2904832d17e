import type { ReactNode } from 'react'
import { Text } from '../ui/text.tsx'

/** What an agent answered: its object where it has one, else its text. */
export function Output({
  of: { output, output_json: object },
}: {
  of: { output: string | null; output_json: object | null }
}): ReactNode {
  return object === null ? (
    <Text text={output ?? ''} />
  ) : (
    <Text text={JSON.stringify(object, null, 2)} mono />
  )
}
