/**
 * The terms of a rule's condition, pure: what a form can edit and a sentence can say. A condition is its terms, joined by
 * `&&`. Proposed rules are written with `writeTerms`; the console reads the CEL of any rule with `readTerms`
 * (`read-terms.ts`), and keeps what is no such term as its CEL.
 */

/** What a term is about. Arguments and tags have a name. */
export interface Field {
  of: 'argument' | 'tag' | 'workflow' | 'agent' | 'role'
  name: string
}

export type FieldTerm = { field: Field; isOptional?: boolean } & (
  | { kind: 'is' | 'isNot'; values: unknown[] }
  | { kind: 'atLeast' | 'atMost' | 'above' | 'below'; number: number }
  | { kind: 'between'; min: number; max: number }
  | {
      kind: 'startsWith' | 'endsWith' | 'contains' | 'containsNot'
      text: string
    }
  /** Addresses, one or several with commas between, all at this domain. */
  | { kind: 'addressesAt'; domain: string }
)

export type Term =
  | FieldTerm
  /** A call without this argument. */
  | { kind: 'absent'; field: Field }
  /** A call without arguments of other names. */
  | { kind: 'only'; names: string[] }
  /** A condition that is none of the others. */
  | { kind: 'cel'; text: string }

/** The `when` of a rule; null if every call meets it. */
export function writeTerms(terms: readonly Term[]): string | null {
  const [first, ...others] = terms
  if (first?.kind === 'cel' && others.length === 0)
    return first.text.trim() === '' ? null : first.text
  const texts = terms.map(writeTerm).filter((text) => text !== '')
  return texts.length === 0 ? null : texts.join(' && ')
}

export const comparisons = {
  atLeast: '>=',
  atMost: '<=',
  above: '>',
  below: '<',
} as const
export const textTests = {
  startsWith: 'startsWith',
  endsWith: 'endsWith',
  contains: 'contains',
  containsNot: 'contains',
} as const

function writeTerm(term: Term): string {
  if (term.kind === 'cel') return term.text.trim() === '' ? '' : `(${unbroken(term.text)})`
  if (term.kind === 'only') return `args.all(name, name in ${JSON.stringify(term.names)})`
  if (term.kind === 'absent') return `!(${presence(term.field)})`
  const text = writeFieldTerm(term)
  return term.isOptional === true ? `(!(${presence(term.field)}) || ${text})` : text
}

/** A comment at the end would hide the bracket after it. */
function unbroken(text: string): string {
  return text.includes('//') ? `${text}\n` : text
}

function presence({ of, name }: Field): string {
  return `${JSON.stringify(name)} in ${of === 'tag' ? 'run.tags' : 'args'}`
}

function writeField({ of, name }: Field): string {
  if (of === 'argument') return `args[${JSON.stringify(name)}]`
  if (of === 'tag') return `run.tags[${JSON.stringify(name)}]`
  return { workflow: 'workflow.id', agent: 'agent.id', role: 'agent.role' }[of]
}

/** JSON literals are valid CEL. */
function writeFieldTerm(term: FieldTerm): string {
  const path = writeField(term.field)
  switch (term.kind) {
    case 'is':
    case 'isNot': {
      const texts = term.values.map((value) => JSON.stringify(value))
      const isNot = term.kind === 'isNot'
      if (texts.length === 1) return `${path} ${isNot ? '!=' : '=='} ${texts[0]}`
      const among = `${path} in [${texts.join(', ')}]`
      return isNot ? `!(${among})` : among
    }
    case 'between':
      return `(${path} >= ${term.min} && ${path} <= ${term.max})`
    case 'startsWith':
    case 'endsWith':
    case 'contains':
    case 'containsNot': {
      const test = `${path}.${textTests[term.kind]}(${JSON.stringify(term.text)})`
      return term.kind === 'containsNot' ? `!${test}` : test
    }
    case 'addressesAt':
      return `${path}.matches(${JSON.stringify(addressesPattern(term.domain))})`
    default:
      return `${path} ${comparisons[term.kind]} ${term.number}`
  }
}

/**
 * Matches one or several addresses at a domain, each alone or in angle brackets after a name. No text that matches names
 * another address, whichever of space, comma and semicolon its reader splits at.
 */
export function addressesPattern(domain: string): string {
  const name = String.raw`[^\r\n,;:<>"()@]+`
  const address = String.raw`[^\s,;:<>"()@]+@${domain.replaceAll('.', String.raw`\.`)}`
  return `^(?:(?:^|, *)(?:${name} <)?${address}>?)+$`
}

/** Domains that `addressesAt` takes. */
export const domainName = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i
