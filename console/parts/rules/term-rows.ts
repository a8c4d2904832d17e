import { findInexact } from '../../../server/exact-json.ts'
import type { Field, FieldTerm, Term } from '../../../server/policies/terms.ts'
import { domainName } from '../../../server/policies/terms.ts'

/** A condition of a rule in a form, as text. */
export interface TermRow {
  id: number
  of: Field['of'] | 'only' | 'cel'
  /** Of an argument or a tag. */
  name: string
  /** The name is typed, not chosen. */
  isNamed: boolean
  kind: FieldTerm['kind'] | 'oneOf' | 'noneOf' | 'absent'
  text: string
  /** The end of a range. */
  upTo: string
  /** Values are JSON; of several, one a line. */
  isJson: boolean
  isOptional: boolean
}

type Kind = TermRow['kind']

export const kindLabels: Record<Kind, string> = {
  is: 'is',
  oneOf: 'is one of',
  isNot: 'is not',
  noneOf: 'is none of',
  addressesAt: 'is anyone at the domain',
  startsWith: 'starts with',
  endsWith: 'ends with',
  contains: 'contains',
  containsNot: 'does not contain',
  atLeast: 'is at least',
  atMost: 'is at most',
  above: 'is above',
  below: 'is below',
  between: 'is from … to …',
  absent: 'is left out',
}

const textKinds: Kind[] = [
  'is',
  'oneOf',
  'isNot',
  'noneOf',
  'addressesAt',
  'startsWith',
  'endsWith',
  'contains',
  'containsNot',
  'absent',
]
const numberKinds: Kind[] = [
  'is',
  'oneOf',
  'isNot',
  'noneOf',
  'between',
  'atLeast',
  'atMost',
  'above',
  'below',
  'absent',
]

/** Kinds of a row; `isNumber` is undefined for arguments of unknown type. */
export function kindsFor({ of, kind }: TermRow, isNumber: boolean | undefined): Kind[] {
  const kinds: Kind[] =
    of === 'workflow' || of === 'agent' || of === 'role'
      ? ['is', 'oneOf', 'isNot', 'noneOf']
      : isNumber === undefined
        ? [...new Set([...textKinds, ...numberKinds])]
        : isNumber
          ? numberKinds
          : textKinds
  return kinds.includes(kind) ? kinds : [...kinds, kind]
}

export function newRow(id: number, fields: Partial<TermRow> = {}): TermRow {
  return {
    id,
    of: 'argument',
    name: '',
    isNamed: false,
    kind: 'is',
    text: '',
    upTo: '',
    isJson: false,
    isOptional: false,
    ...fields,
  }
}

/** Names of arguments come last: they are the same in all proposed rules. */
export function rowsOf(terms: readonly Term[]): TermRow[] {
  const isLast = ({ kind }: Term): number => Number(kind === 'only')
  return terms
    .toSorted((one, other) => isLast(one) - isLast(other))
    .map((term, id) => newRow(id, partsOf(term)))
}

function partsOf(term: Term): Partial<TermRow> {
  if (term.kind === 'cel') return { of: 'cel', text: term.text }
  if (term.kind === 'only') return { of: 'only', ...linesOf(term.names) }
  const { of, name } = term.field
  if (term.kind === 'absent') return { of, name, kind: 'absent' }
  const start = { of, name, kind: term.kind, isOptional: term.isOptional ?? false }
  switch (term.kind) {
    case 'is':
    case 'isNot': {
      const several = term.kind === 'is' ? 'oneOf' : 'noneOf'
      const kind = term.values.length > 1 ? several : term.kind
      return { ...start, kind, ...linesOf(term.values) }
    }
    case 'between':
      return { ...start, text: String(term.min), upTo: String(term.max) }
    case 'addressesAt':
      return { ...start, text: term.domain }
    case 'startsWith':
    case 'endsWith':
    case 'contains':
    case 'containsNot':
      return { ...start, text: term.text }
    default:
      return { ...start, text: String(term.number) }
  }
}

/** Texts are lines as they are; anything else is JSON. */
function linesOf(values: readonly unknown[]): Pick<TermRow, 'text' | 'isJson'> {
  const isJson = !values.every(
    (value) => typeof value === 'string' && /^[^\r\n]*\S[^\r\n]*$/.test(value),
  )
  const lines = isJson ? values.map((value) => JSON.stringify(value)) : values
  return { text: lines.join('\n'), isJson }
}

/** The term of a row; a text says what is wrong. */
export function termOf(row: TermRow): Term | string {
  const { of, kind, text, isOptional } = row
  if (of === 'cel') return text.trim() === '' ? 'Enter a condition' : { kind: 'cel', text }
  if (of === 'only') {
    const names = valuesOf(row)
    const areNames = Array.isArray(names) && names.every((name) => typeof name === 'string')
    return areNames ? { kind: 'only', names } : 'Enter names of arguments'
  }
  const name = of === 'argument' || of === 'tag' ? row.name : ''
  if (name === '' && (of === 'argument' || of === 'tag')) return 'Enter a name'
  const field: Field = { of, name }
  if (kind === 'absent') return { kind, field }
  const start = { field, ...(isOptional && { isOptional }) }
  switch (kind) {
    case 'is':
    case 'isNot':
    case 'oneOf':
    case 'noneOf': {
      const values = valuesOf(row)
      if (typeof values === 'string') return values
      return { kind: kind === 'is' || kind === 'oneOf' ? 'is' : 'isNot', ...start, values }
    }
    case 'between': {
      const [min, max] = [numberIn(text), numberIn(row.upTo)]
      return min === undefined || max === undefined
        ? 'Enter two numbers'
        : { kind, ...start, min, max }
    }
    case 'addressesAt': {
      const domain = text.trim().replace(/^.*@/, '')
      return domainName.test(domain)
        ? { kind, ...start, domain }
        : 'Enter a domain, such as example.com'
    }
    case 'startsWith':
    case 'endsWith':
    case 'contains':
    case 'containsNot':
      return text === '' ? 'Enter a text' : { kind, ...start, text }
    default: {
      const number = numberIn(text)
      return number === undefined ? 'Enter a number' : { kind, ...start, number }
    }
  }
}

function valuesOf({ text, isJson }: TermRow): unknown[] | string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  if (lines.length === 0) return 'Enter a value'
  if (!isJson) return lines
  if (lines.some((line) => findInexact(line) !== undefined))
    return 'Enter a number with fewer digits'
  try {
    return lines.map((line) => JSON.parse(line) as unknown)
  } catch {
    return 'Enter JSON: a number, true, false, or a text in quotes'
  }
}

function numberIn(text: string): number | undefined {
  const value = Number(text.trim())
  return text.trim() !== '' && Number.isFinite(value) ? value : undefined
}
