/** Text that PostgreSQL can store: without NUL and unpaired surrogates. */

/** Removes characters that cannot be stored. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Whether JSON text, which has such characters as escapes, can be stored. */
export function isStorableJson(json: string): boolean {
  return !escaped.test(json)
}

// Unless the backslash is itself escaped.
const escaped = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

/** Where a text may be cut without splitting a surrogate pair: at `end` or one before. */
export function wholeEnd(text: string, end: number): number {
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end
}
