/**
 * The first number of a JSON text that JavaScript would round, so that an id might name another
 * object: an integer beyond 2^53, or any number that is too large. Undefined if there is none.
 */
export function findInexact(text: string): string | undefined {
  if (!/\d{16}|\d[eE]\+?\d{3}/.test(text)) return undefined
  // An unterminated string matches as one token, so that its quotes do not start further searches.
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*/g)) {
    if (token.startsWith('"')) continue
    const number = Number(token)
    const isKept = /^-?\d+$/.test(token) ? Number.isSafeInteger(number) : Number.isFinite(number)
    if (!isKept) return token.slice(0, 100)
  }
  return undefined
}
