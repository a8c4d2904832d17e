import type { WaitingRun } from '../../sdk/generated.ts'

const longest = 160

/** What a request is about, in one line of a list: a question, or what an action would be done with. */
export function summaryOf({ kind, prompt, tool_input: input = {} }: WaitingRun['pending']): string {
  if (kind === 'input') return prompt.slice(0, longest)
  const { to, subject, ...rest } = input
  const parts =
    typeof subject === 'string'
      ? [subject, ...(typeof to === 'string' ? [to] : [])]
      : Object.entries(rest).map(([name, value]) => `${name} ${asText(value)}`)
  return parts.join(' · ').slice(0, longest)
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
