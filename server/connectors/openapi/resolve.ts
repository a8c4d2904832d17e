import { resolveRef } from '../../json-schema/check-schema.ts'

/** Parts of an OpenAPI document, whose references lead within it. */
export type Fields = Record<string, unknown>

/** Why an operation cannot be offered, in words that follow its name. */
export class NotOffered extends Error {
  override readonly name = 'NotOffered'
}

const maxHops = 30

/** A part with the references at its start followed; what stands beside them is kept. */
export function resolve(document: unknown, part: unknown): unknown {
  let now = part
  let beside: Fields = {}
  for (let hops = 0; isObject(now) && typeof now['$ref'] === 'string'; hops++) {
    if (hops === maxHops) throw new NotOffered(`it has a reference behind ${maxHops} others`)
    const { $ref: ref, ...others } = now
    beside = { ...others, ...beside }
    now = follow(document, ref)
  }
  return isObject(now) && Object.keys(beside).length > 0 ? { ...now, ...beside } : now
}

export function follow(document: unknown, ref: string): unknown {
  const shown = JSON.stringify(ref.slice(0, 100))
  if (!ref.startsWith('#')) {
    throw new NotOffered(`it refers to another document, ${shown}, which is not read`)
  }
  const target = resolveRef(document, ref)
  if (target === undefined) throw new NotOffered(`it refers to ${shown}, which does not exist`)
  return target
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object's own field; documents may have keys such as `constructor`. */
export function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
