import { isDeepStrictEqual } from 'node:util'
import { DomainError } from '../errors.ts'

/**
 * Lets clients send a resource back as they read it: a PATCH ignores read-only fields with their
 * current value, and rejects other values. Returns the body without them.
 */
export async function withoutServerMade(
  body: unknown,
  settable: object,
  action: string,
  readStored: () => Promise<unknown>,
): Promise<unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const others = Object.keys(body).filter((name) => !Object.hasOwn(settable, name))
  if (others.length === 0) return body
  // In its wire format.
  const stored = JSON.parse(JSON.stringify(await readStored())) as Record<string, unknown>
  const rest: Record<string, unknown> = { ...body }
  for (const name of others) {
    if (!Object.hasOwn(stored, name)) continue
    if (!isDeepStrictEqual(rest[name], stored[name])) throw isServerMade(action, name, stored[name])
    delete rest[name]
  }
  return rest
}

function isServerMade(action: string, name: string, stored: unknown): DomainError {
  const value = JSON.stringify(stored)
  const shown = value.length > 80 ? `${value.slice(0, 79)}…` : value
  const why = `${name} is made by the server and cannot be changed, it is ${shown}`
  return new DomainError('unknown_field', `Cannot ${action}: ${why}`, { param: name })
}
