import { isDeepStrictEqual } from 'node:util'
import type { FileResource } from './resources.ts'

/** Plans the changes that applying files makes, pure. */
export type Fields = Record<string, unknown>

export interface FieldChange {
  field: string
  before: unknown
  after: unknown
}

export interface Step {
  action: 'create' | 'update' | 'keep' | 'delete'
  of: FileResource
  name: string
  /** Undefined if the object will be created. */
  id: string | undefined
  changes: FieldChange[]
}

/** Fields of a file that differ from the server's. Fields that a file omits stay unchanged. */
export function compareFields(before: Fields, wanted: Fields): FieldChange[] {
  return Object.keys(wanted).flatMap((name) => compareValue(name, before[name], wanted[name]))
}

function compareValue(field: string, before: unknown, after: unknown): FieldChange[] {
  if (isDeepStrictEqual(normal(before), normal(after))) return []
  // A workflow's settings are compared field by field, everything else as a whole.
  if (isObject(before) && isObject(after) && !/_schema$|^(data|tags)$/.test(field)) {
    return Object.keys(after).flatMap((name) =>
      compareValue(`${field}.${name}`, before[name], after[name]),
    )
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    const isListOfObjects = [...before, ...after].every(isObject)
    if (isListOfObjects) {
      return before.flatMap((item: unknown, index) =>
        compareEntry(`${field}[${index}]`, item as Fields, after[index] as Fields),
      )
    }
  }
  return [{ field, before: before ?? null, after: after ?? null }]
}

/** Compares crew entries, which are replaced as a whole: fields that an entry omits are removed. */
function compareEntry(field: string, before: Fields, after: Fields): FieldChange[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  return names.flatMap((name) => {
    const [old, now] = [before[name] ?? null, after[name] ?? null]
    return isDeepStrictEqual(normal(old), normal(now))
      ? []
      : [{ field: `${field}.${name}`, before: old, after: now }]
  })
}

/** Treats absent and null as equal, and ignores the order of keys. */
function normal(value: unknown): unknown {
  return value ?? null
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
