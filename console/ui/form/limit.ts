import { formatCount } from '../text/format.ts'

/** The part of a limit from which the count of characters is shown. */
const nearly = 0.9

/** Beyond it: what is wrong, and what to do. Near it: the count. */
export function checkLength(
  text: string,
  longest: number | undefined,
  advice = 'shorten it',
): { problem?: string; count?: string } {
  // Code points are at most as many as UTF-16 units.
  if (longest === undefined || text.length < longest * nearly) return {}
  const length = lengthOf(text)
  const count = countOf(length, longest)
  if (length <= longest) return { count }
  const over = formatCount(length - longest)
  return { problem: `Too long by ${over} ${over === '1' ? 'character' : 'characters'}: ${advice}` }
}

export function isTooLong(text: string, longest: number): boolean {
  return text.length > longest && lengthOf(text) > longest
}

/** The API counts code points. */
export function lengthOf(text: string): number {
  return Array.from(text).length
}

export function countOf(length: number, longest: number): string {
  return `${formatCount(length)} of ${formatCount(longest)} characters`
}
