/*
 * Numbers of JSON from outside. JavaScript rounds some of them, so that an id might name another object. Such a number is
 * refused where the sender can send another one (`findInexact`), kept as written where the JSON is passed on
 * (`parseAsWritten`), and becomes a text where neither is possible (`parseWithTexts`).
 */

/**
 * The first number of a JSON text that JavaScript would round: an integer beyond 2^53, any number that is too large, or
 * a larger number with more digits than are kept. Undefined if there is none.
 */
export function findInexact(text: string): string | undefined {
  if (!suspicious.test(text)) return undefined
  // An unterminated string matches as one token, so that its quotes do not start further searches.
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*/g)) {
    if (!token.startsWith('"') && !isExact(token)) return token.slice(0, 100)
  }
  return undefined
}

const suspicious = /[\d.]{16}|\d[eE]\+?\d/

/** A double keeps at least 15 digits of any number. Fractions of ordinary numbers may be rounded. */
function isExact(token: string): boolean {
  const value = Number(token)
  if (Number.isSafeInteger(value) || Math.abs(value) < Number.MAX_SAFE_INTEGER) return true
  const [mantissa = ''] = token.split(/[eE]/)
  const digits = mantissa.replaceAll(/\D/g, '').replaceAll(/^0+|0+$/g, '')
  return Number.isFinite(value) && !/^-?\d+$/.test(token) && digits.length <= 15
}

/** The value of a JSON text, from which `JSON.stringify` writes numbers that JavaScript would round as they were. */
export function parseAsWritten(text: string): unknown {
  // Not in older browsers.
  const keep =
    typeof JSON.rawJSON === 'function' ? (source: string) => JSON.rawJSON(source) : Number
  return parse(text, keep)
}

/** The value of a JSON text, with texts for the numbers that JavaScript would round. */
export function parseWithTexts(text: string): unknown {
  return parse(text, String)
}

function parse(text: string, keep: (source: string) => unknown): unknown {
  if (findInexact(text) === undefined) return JSON.parse(text)
  const reviver = (_key: string, value: unknown, { source }: { source?: string }): unknown =>
    typeof value === 'number' && source !== undefined && !isExact(source) ? keep(source) : value
  return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1])
}

declare global {
  interface JSON {
    // Missing in TypeScript's libraries.
    rawJSON(text: string): object
  }
}
