import { isDeeperThan, maxDepth, findInexact } from '../../json-limits.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../errors.ts'
import { isStorable } from '../../safe-text.ts'
import { actionOf } from '../request.ts'

/**
 * Reads JSON bodies as UTF-8. Text that PostgreSQL cannot store (NUL or an unpaired surrogate) is
 * rejected here for all routes, with its path.
 */
export function addJsonBody(app: FastifyInstance): void {
  const readJson = createJsonReader(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer) => readJson(request, body),
  )
}

/** For routes that read the bytes of their body themselves. */
export function createJsonReader(
  app: FastifyInstance,
): (request: FastifyRequest, body: Buffer) => Promise<unknown> {
  // `__proto__` would change objects that it is copied into. `constructor` is harmless, because no
  // code here merges objects deeply.
  const parse = app.getDefaultJsonParser('error', 'ignore')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return async (request, body) => {
    const action = actionOf(request)
    let text: string
    try {
      text = decoder.decode(body)
    } catch {
      throw new DomainError('invalid_json', `Cannot ${action}: the body is not valid UTF-8`)
    }
    // Many clients send the content type without a body; routes that need one check for it.
    if (text === '') return undefined
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    void parse(request, text, (error, value) => {
      if (error === null) resolve(value)
      else {
        const why = isJson(text)
          ? 'the body has the key __proto__, which is never taken'
          : 'the body is not valid JSON'
        reject(new DomainError('invalid_json', `Cannot ${action}: ${why}`, { cause: error }))
      }
    })
    const value = await promise
    if (isDeeperThan(value, maxDepth)) {
      const why = `the body is nested more than ${maxDepth} levels deep`
      throw new DomainError('invalid_json', `Cannot ${action}: ${why}`)
    }
    const inexact = findInexact(text)
    if (inexact !== undefined) {
      const why = `the number ${inexact} is too large to be kept exactly, send it as a text`
      throw new DomainError('number_too_large', `Cannot ${action}: ${why}`)
    }
    // Both can only come from an escape or a literal NUL, so most bodies need no search.
    const place = /\\u0000|\\u[dD][89a-fA-F]|\0/.test(text) ? findUnstorable(value, '') : undefined
    if (place === undefined) return value
    const why = `${place || 'the body'} holds a NUL or an unpaired surrogate`
    throw new DomainError('invalid_characters', `Cannot ${action}: ${why}`, { param: place })
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
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
