import { visibleText } from '../../visible-text.ts'
import { storable } from './run.ts'

/**
 * One line on which a person can decide: what the action would do, from its arguments and never from a
 * model. It is a summary; the exact arguments stand beside it.
 */
export function describeCall(tool: string, input: Record<string, unknown> | null): string {
  const given = Object.entries(input ?? {})
  if (given.length === 0) return tool
  const shown = ordered(given).slice(0, maxArguments)
  const words = shown.map(([name, value]) => `${line(name, 40)}: ${line(value, maxCharacters)}`)
  const more = given.length - shown.length
  return `${tool} (${words.join(', ')}${more === 0 ? '' : `, and ${more} more`})`
}

const maxArguments = 3
const maxCharacters = 80
/** To whom, about what: before the rest, in this order. */
const telling = ['to', 'channel', 'email', 'subject', 'amount', 'name']

function ordered(given: [string, unknown][]): [string, unknown][] {
  const rank = ([name]: [string, unknown]): number => {
    const place = telling.indexOf(name)
    return place === -1 ? telling.length : place
  }
  return given.toSorted((a, b) => rank(a) - rank(b))
}

/** On one line, without what cannot be seen, cut by whole characters. */
function line(value: unknown, max: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const plain = storable(
    visibleText(text.slice(0, 10 * max))
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
  const characters = Array.from(plain)
  return characters.length <= max ? plain : `${characters.slice(0, max - 1).join('')}…`
}
