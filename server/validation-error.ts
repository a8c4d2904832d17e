import type { ErrorObject } from 'ajv'
import type { ErrorCode } from './errors.ts'
import { findMeant } from './nearest.ts'

/**
 * What is wrong, where, and what is expected; `root` names the whole value. The value itself is left
 * out where its schema is `writeOnly`.
 */
export function explain(
  error: ErrorObject,
  root: string,
): { code: ErrorCode; param: string; why: string } {
  const param = fieldPath(error.instancePath)
  const name = param === '' ? root : param
  const { params, data } = error
  const isKey = error.propertyName !== undefined
  const value = error.parentSchema?.['writeOnly'] === true ? '[hidden]' : shown(data)
  // A key that is too long does not match its pattern either, whose words say more.
  const isBadKey = isKey && error.parentSchema?.['pattern'] !== undefined
  switch (isBadKey ? 'pattern' : error.keyword) {
    case 'required': {
      const misspelt = findMisspelt(error)
      const field = joinPath(param, misspelt?.meant ?? params['missingProperty'])
      const hint = misspelt && `; ${unknownField(param, misspelt.field, error, root).why}`
      return { code: 'required', param: field, why: `${field} is required${hint ?? ''}` }
    }
    case 'additionalProperties':
      return unknownField(param, String(params['additionalProperty']), error, root)
    case 'type': {
      const expected = [params['type']].flat().map(article).join(' or ')
      // Values in addresses and headers are always text.
      const why = ['the querystring', 'the headers'].includes(root)
        ? `${name} is ${value}, expected ${expected}`
        : `${name} must be ${expected}, not ${article(typeOf(data))}`
      return { code: data === undefined ? 'required' : 'invalid_type', param, why }
    }
    case 'minLength':
      return bound('string_too_short', 'characters', countCharacters(data), 'at least')
    case 'maxLength':
      return bound('string_too_long', 'characters', countCharacters(data), 'at most')
    case 'minItems':
      return bound('array_too_short', 'items', (data as unknown[]).length, 'at least')
    case 'maxItems':
      return bound('array_too_long', 'items', (data as unknown[]).length, 'at most')
    case 'maxProperties':
      return bound('invalid_value', 'keys', Object.keys(data as object).length, 'at most')
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum': {
      const isLarge = error.keyword === 'maximum'
      const word = isLarge ? 'at most' : error.keyword === 'minimum' ? 'at least' : 'more than'
      const code = isLarge ? 'number_too_large' : 'number_too_small'
      return { code, param, why: `${name} is ${value}, ${word} ${params['limit']}` }
    }
    case 'enum': {
      const words = (params['allowedValues'] as unknown[]).map((word) =>
        typeof word === 'string' ? word : shown(word),
      )
      const why = `${name} is ${value}, expected ${words.join(', ')}`
      return { code: 'invalid_value', param, why }
    }
    case 'pattern':
    case 'format': {
      const is = isKey ? 'has the key' : 'is'
      const why = `${name} ${is} ${value}, expected ${expectation(error)}`
      return { code: 'invalid_format', param, why }
    }
    default:
      return { code: 'invalid_value', param, why: `${name} ${error.message}` }
  }

  function bound(code: ErrorCode, unit: string, count: number, word: string) {
    const what = isKey ? `the key ${value}, of ${count} ${unit}` : `${count} ${unit}`
    return { code, param, why: `${name} has ${what}, ${word} ${params['limit']}` }
  }
}

function unknownField(path: string, field: string, error: ErrorObject, root: string) {
  const param = joinPath(path, field === '' ? '""' : field.slice(0, 100))
  const what = root === 'the querystring' ? 'query parameter' : 'field'
  const why = `${param} is not a known ${what}, ${suggestion(field, knownFields(error))}`
  return { code: 'unknown_field' as const, param, why }
}

/** The description of the field, which starts with what it expects. */
function expectation({ parentSchema, params }: ErrorObject): string {
  const description = parentSchema?.['description'] as string | undefined
  if (description === undefined) {
    const pattern: unknown = params['pattern']
    return pattern === undefined ? params['format'] : `a text that matches ${shown(pattern)}`
  }
  return description
    .replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
    .replace(/\.$/, '')
}

/** An unknown field that is probably a misspelt required one. */
function findMisspelt(error: ErrorObject): { field: string; meant: string } | undefined {
  const { additionalProperties, required } = error.parentSchema ?? {}
  if (additionalProperties !== false) return undefined
  const data = error.data as object
  const known = knownFields(error)
  return Object.keys(data)
    .filter((field) => !known.includes(field))
    .slice(0, 20)
    .map((field) => ({ field, meant: findMeant(field, known) ?? '' }))
    .find(({ meant }) => (required as string[]).includes(meant) && !Object.hasOwn(data, meant))
}

function knownFields({ parentSchema }: ErrorObject): string[] {
  return Object.keys((parentSchema?.['properties'] as object | undefined) ?? {})
}

/** `/crew/2/role` as `crew[2].role`. */
function fieldPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : joinPath(path, part)), '')
}

function joinPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`
}

function suggestion(field: string, known: string[]): string {
  if (known.length === 0) return 'this request takes none'
  const nearest = findMeant(field, known)
  return nearest === undefined ? `expected ${known.join(', ')}` : `did you mean ${nearest}?`
}

/** Unicode code points, as JSON Schema counts. */
function countCharacters(text: unknown): number {
  return Array.from(text as string).length
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export function article(type: string): string {
  if (type === 'null' || type === 'undefined') return type === 'null' ? 'null' : 'absent'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
