import { InvalidArgumentError } from 'commander'

/** The parser of `--tag key=value`, which may be given more than once. */
export function tag(text: string, before: Record<string, string> = {}): Record<string, string> {
  const place = text.indexOf('=')
  if (place < 1) throw new InvalidArgumentError('Expected key=value.')
  return { ...before, [text.slice(0, place)]: text.slice(place + 1) }
}

/** `customer=acme env=prod`; null where there are none. */
export function formatTags(tags: Record<string, string>): string | null {
  const pairs = Object.entries(tags).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? null : pairs.join(' ')
}

/** The parser of an option that may be given more than once. */
export function several(text: string, before: string[] = []): string[] {
  return [...before, text]
}
