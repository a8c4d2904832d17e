import type { FastifyInstance } from 'fastify'
import { DomainError } from '../errors.ts'

/**
 * Reads JSON bodies as UTF-8. Text that PostgreSQL cannot hold, a NUL or an unpaired surrogate, is
 * refused here once for all routes, with the place where it stands.
 */
export function addJsonBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const action = request.routeOptions.config.action ?? 'read the body'
    let text: string
    try {
      text = decoder.decode(body as Buffer)
    } catch {
      done(new DomainError('invalid_json', `Cannot ${action}: the body is not valid UTF-8`))
      return
    }
    // Many clients send the content type with no body; routes that need one say so.
    if (text === '') return done(null, undefined)
    void parse(request, text, (error, value) => {
      if (error !== null) {
        const why = 'the body is not valid JSON'
        done(new DomainError('invalid_json', `Cannot ${action}: ${why}`, { cause: error }))
        return
      }
      // Both can only come from an escape, or stand in the text as they are.
      const place = /\\u0000|\\u[dD][89a-fA-F]|\0/.test(text)
        ? findUnstorable(value, '')
        : undefined
      if (place === undefined) done(null, value)
      else {
        const why = `${place || 'the body'} holds a NUL or an unpaired surrogate`
        done(new DomainError('invalid_characters', `Cannot ${action}: ${why}`, { param: place }))
      }
    })
  })
}

/** Path of the first string, or of the object with a key, that PostgreSQL cannot hold. */
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

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
