/**
 * Whether templates are cheap on any values of these bytes, so that they may be rendered at once instead of in a
 * thread. Cheap templates have no loops and no variables of their own, and each output at most reads the values once.
 */
export function areCheap(
  templates: readonly string[],
  isLargerThan: (bytes: number) => boolean,
): boolean {
  const length = templates.reduce((sum, text) => sum + text.length, 0)
  if (length > maxCharacters) return false
  const reads = templates.reduce((sum, text) => sum + countReads(text), 0)
  return reads <= maxReads && !isLargerThan(maxSteps / Math.max(1, reads))
}

/** Characters of templates that are parsed, and characters of values that are read; some milliseconds each. */
export const maxCharacters = 16_000
const maxSteps = 1_000_000
const maxReads = 200

/** Outputs and conditions of a template; infinite if one of them is not cheap. */
function countReads(text: string): number {
  const parts = text.match(/\{\{|\{%/g)?.length ?? 0
  const cheap = text.match(cheapPart)?.length ?? 0
  return parts === cheap ? parts : Infinity
}

const path = String.raw`[\w.\-]+(?:\[(?:-?\d+|"[\w\- ]*"|'[\w\- ]*')\][\w.\-]*)*`
const literal = String.raw`"[^"{}|%]{0,100}"|-?\d{1,9}`
const filters = 'default|upcase|downcase|capitalize|strip|escape|json|size|first|last|round'
const filter = String.raw` ?\| ?(?:${filters})(?:: ?(?:${literal}))?`
const operand = `(?:${path}|${literal})`
const test = String.raw`${operand}(?: (?:==|!=|<|>|<=|>=) ${operand})?`
/** An output with at most three filters, or one of the tags that choose between texts. */
const cheapPart = new RegExp(
  String.raw`\{\{-? ?${path}(?:${filter}){0,3} ?-?\}\}|\{%-? ?(?:(?:els)?if ${test}|unless ${test}|else|endif|endunless) ?-?%\}`,
  'g',
)
