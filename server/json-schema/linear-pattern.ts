import { RE2JS } from 're2js'

/**
 * A user's regular expression in an engine whose time is linear in the text, with the same meaning
 * as in JavaScript. Backreferences and lookaround, which the engine lacks, are rejected when the
 * pattern is created.
 */
export interface LinearPattern {
  test(text: string): boolean
  /** Maximum steps of the engine for each character. */
  size: number
  toString(): string
}

const maxLength = 500

export function createPattern(source: string): LinearPattern {
  if (source.length > maxLength) throw new Error(`it has more than ${maxLength} characters`)
  const compiled = RE2JS.compile(RE2JS.translateRegExp(asInJavaScript(source)))
  // Ajv caches patterns by their text.
  return {
    test: (text) => compiled.test(text),
    size: compiled.programSize(),
    toString: () => source,
  }
}

const lineEnds = String.raw`\n\r\x{2028}\x{2029}`
const spaces = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

/**
 * Translates `.`, `$` and `\s`, because the engine knows fewer line ends and spaces than
 * JavaScript.
 */
function asInJavaScript(source: string): string {
  let isInClass = false
  return source.replaceAll(/\\[^]|[[\].]/g, (token) => {
    if (token === '[' || token === ']') isInClass = token === '['
    if (token === '.' && !isInClass) return `[^${lineEnds}]`
    if (token === '\\s') return isInClass ? spaces : `[${spaces}]`
    // The engine would read `\k` as the letter k.
    if (token === '\\k') throw new Error('a reference back is not supported')
    if (token !== '\\S') return token
    if (isInClass) throw new Error('\\S within brackets is not supported')
    return `[^${spaces}]`
  })
}
