import type { CallFacts } from './rules.ts'
import { addressesPattern, domainName, type Field, type FieldTerm } from './terms.ts'

/** What the values of an argument in several calls have in common, as terms of a proposed rule. Pure. */

/**
 * Arguments with prose for people. Only these may have any value; others may be an address, a
 * channel, a host or an id, whatever their name.
 */
const prose =
  /^(text|body|content|message|subject|title|description|notes?|summary|comment|html|markdown)$/i

const mostValues = 10

/** Providers whose addresses belong to anybody, so that a domain says nothing about its owners. */
const publicMail =
  /^(gmail|googlemail|outlook|hotmail|live|msn|yahoo|ymail|icloud|me|mac|aol|gmx|web|mail|proton|protonmail|pm|zoho|yandex|qq|163|126|fastmail|tutanota|hey)(\.[a-z]{2,3}){1,2}$/i

/** The values of the calls that have the argument. */
export function givenValues(name: string, calls: readonly CallFacts[]): unknown[] {
  return calls.flatMap(({ args }) => (Object.hasOwn(args, name) ? [args[name]] : []))
}

export function isProse(name: string, given: readonly unknown[]): boolean {
  return prose.test(name) && given.every((value) => typeof value === 'string')
}

export function isConstant(values: readonly unknown[]): boolean {
  return distinct(values).length === 1
}

/** Undefined if there are too many values for a list. */
export function isOneOf(
  field: Field,
  given: readonly unknown[],
): (FieldTerm & { kind: 'is' }) | undefined {
  const texts = distinct(given)
  if (texts.length > mostValues) return undefined
  return {
    kind: 'is',
    field,
    values: texts.map((text) => JSON.parse(text) as unknown),
  }
}

export function rangeOf(field: Field, given: readonly unknown[]): FieldTerm | undefined {
  if (!given.every((value) => typeof value === 'number')) return undefined
  return {
    kind: 'between',
    field,
    min: Math.min(...given),
    max: Math.max(...given),
  }
}

/** The domain of all addresses; undefined for anything else, and for addresses of a public provider. */
export function sharedDomain(field: Field, given: readonly unknown[]): FieldTerm | undefined {
  const [first] = given
  const domain = typeof first === 'string' ? /@([^@\s,;<>]+)>?$/.exec(first)?.[1] : undefined
  if (domain === undefined || !domainName.test(domain) || publicMail.test(domain)) return undefined
  const pattern = new RegExp(addressesPattern(domain))
  const isShared = given.every((value) => typeof value === 'string' && pattern.test(value))
  return isShared ? { kind: 'addressesAt', field, domain } : undefined
}

/** As JSON, in order. */
function distinct(values: readonly unknown[]): string[] {
  return [...new Set(values.map((value) => JSON.stringify(value)))].toSorted()
}
