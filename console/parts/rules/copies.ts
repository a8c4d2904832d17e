import type { Term } from '../../../server/policies/terms.ts'

/**
 * The arguments for copies, such as `cc`, that may have any value though the recipient may not: a rule by recipient
 * would let copies out to anyone. `names` are the arguments of the action.
 */
export function openCopies(terms: readonly Term[], names: readonly string[]): string[] {
  const isAbout = (term: Term, pattern: RegExp): boolean =>
    'field' in term && term.field.of === 'argument' && pattern.test(term.field.name)
  if (!terms.some((term) => isAbout(term, /^(to|recipients?)$/i))) return []
  return names.filter(
    (name) =>
      /^b?cc$/i.test(name) &&
      !terms.some((term) => {
        if (term.kind === 'only') return !term.names.includes(name)
        if (term.kind === 'cel') return term.text.includes(name)
        return 'field' in term && term.field.of === 'argument' && term.field.name === name
      }),
  )
}
