/**
 * The first number of a JSON text that JavaScript would make another one of, and so perhaps the id of another thing: a
 * whole one beyond 2^53, or any that is too large. Undefined for a text without.
 */
export function findInexact(text: string): string | undefined {
  if (!/\d{16}|\d[eE]\+?\d{3}/.test(text)) return undefined
  // A string that does not end is one token as well: else each of its quotes is the start of another search.
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*/g)) {
    if (token.startsWith('"')) continue
    const number = Number(token)
    const isKept = /^-?\d+$/.test(token) ? Number.isSafeInteger(number) : Number.isFinite(number)
    if (!isKept) return token.slice(0, 100)
  }
  return undefined
}
