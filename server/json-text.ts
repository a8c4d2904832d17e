import type { ErrorCode } from './errors.ts'
import { findInexact } from './exact-json.ts'
import { isDeeperThan, maxDepth } from './json-limits.ts'
import { isStorable } from './safe-text.ts'

/** JSON text from outside: its value, or why it is not taken, in words about "the body". */
export type ReadJson =
  | { kind: 'value'; value: unknown }
  | { kind: 'refused'; code: ErrorCode; why: string; param?: string }

export function readJsonText(text: string): ReadJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'refused', code: 'invalid_json', why: 'the body is not valid JSON' }
  }
  if (isDeeperThan(value, maxDepth)) {
    const why = `the body is nested more than ${maxDepth} levels deep`
    return { kind: 'refused', code: 'invalid_json', why }
  }
  // The key would change objects that it is copied into. `constructor` is harmless, because no code
  // here merges objects deeply.
  if (/__proto__|\\u00/i.test(text) && hasPrototypeKey(value)) {
    const why = 'the body has the key __proto__, which is never taken'
    return { kind: 'refused', code: 'invalid_json', why }
  }
  const inexact = findInexact(text)
  if (inexact !== undefined) {
    const why = `the number ${inexact} is too large to be kept exactly, send it as a text`
    return { kind: 'refused', code: 'number_too_large', why }
  }
  // Both can only come from an escape or a literal NUL, so most bodies need no search.
  const place = /\\u0000|\\u[dD][89a-fA-F]|\0/.test(text) ? findUnstorable(value, '') : undefined
  if (place === undefined) return { kind: 'value', value }
  const why = `${place || 'the body'} holds a NUL or an unpaired surrogate`
  return { kind: 'refused', code: 'invalid_characters', why, param: place }
}

function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey)
}

/** Path of the first string, or of the object with a key, that PostgreSQL cannot store. */
function findUnstorable(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : path
  if (value === null || typeof value !== 'object') return undefined
  for (const [key, item] of Object.entries(value)) {
    if (!isStorable(key)) return path
    const child = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    const found = findUnstorable(item, child)
    if (found !== undefined) return found
  }
  return undefined
}
