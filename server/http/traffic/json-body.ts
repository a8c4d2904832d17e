import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cannot } from '../../errors.ts'
import { readJsonText } from '../../json-text.ts'
import { actionOf } from '../request.ts'

/**
 * Reads JSON bodies as UTF-8. Text that PostgreSQL cannot store (NUL or an unpaired surrogate) is
 * rejected here for all routes, with its path.
 */
export function addJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => readJson(request, body),
  )
}

/** For routes that read the bytes of their body themselves. */
export function readJson(request: FastifyRequest, body: Buffer): unknown {
  const action = actionOf(request)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw cannot({ action }, 'invalid_json', 'the body is not valid UTF-8')
  }
  // Many clients send the content type without a body; routes that need one check for it.
  if (text === '') return undefined
  const read = readJsonText(text)
  if (read.kind === 'value') return read.value
  const { code, why, param } = read
  throw cannot({ action }, code, why, param === undefined ? {} : { param })
}
