/* What JSON from outside may be: how deep and how large. Its numbers are in `exact-json.ts`. */

/**
 * Limit of nested levels of JSON from outside: it is later processed recursively, here and in
 * PostgreSQL.
 */
export const maxDepth = 100

export function isDeeperThan(value: unknown, levels: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((item) =>
      item !== null && typeof item === 'object' ? Object.values(item) : [],
    )
  }
  return false
}

/** Whether JSON certainly has more bytes than this; stops counting there. */
export function isLargerThan(value: unknown, bytes: number): boolean {
  let left = bytes
  const waiting = [value]
  while (waiting.length > 0 && left >= 0) {
    const one = waiting.pop()
    if (typeof one === 'string') left -= one.length
    if (typeof one !== 'object' || one === null) continue
    const isArray = Array.isArray(one)
    const keys = isArray ? [] : Object.keys(one)
    left -= isArray ? one.length : keys.reduce((sum, key) => sum + key.length, keys.length)
    if (left >= 0) waiting.push(...Object.values(one))
  }
  return left < 0
}

const [quote, escape, list, object] = Buffer.from('"\\[{')

/**
 * Whether JSON has more lists and objects than this, before it is parsed: three bytes of a list become forty, in one
 * step that no limit of memory interrupts.
 */
export function hasMoreNested(bytes: Uint8Array, most: number): boolean {
  if (bytes.length <= most) return false
  let count = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) isText = !isText
    else if (byte === escape) at += 1
    else if (!isText && (byte === list || byte === object)) count += 1
  }
  return count > most
}
