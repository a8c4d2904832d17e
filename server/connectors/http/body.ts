import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../errors.ts'
import { isStorableJson } from '../../safe-text.ts'
import { arrivingBody, collectBody, leaveToRate, tooLarge } from '../../http/traffic/arrival.ts'
import { readJson } from '../../http/traffic/json-body.ts'
import { actionOf } from '../../http/request.ts'

/** JSON of a document of 5 MB as a text, with its line ends and quotes escaped. */
const maxBodyBytes = 12 * 1024 * 1024
/** Above this size, few bodies are in memory at a time. */
const smallBytes = 1024 * 1024

/** Reads the bodies of connectors, which may hold an OpenAPI document. */
export function addConnectorBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { bodyLimit: maxBodyBytes },
    async (request: FastifyRequest, payload: IncomingMessage) => {
      const action = actionOf(request)
      const given = request.headers['content-length']
      const length = Number(given ?? 0)
      const maxBytes = request.method === 'PUT' ? maxBodyBytes : smallBytes
      if (length > maxBytes) throw tooLarge(action, maxBytes)
      const isSmall = given !== undefined && length <= smallBytes
      if (isSmall) return read(request, await collect(payload, action, maxBytes, length))
      leaveToRate(payload)
      const { accountId, limits } = request.ctx
      using _slot = await limits.apiDocuments.take(accountId, action)
      return read(request, await collect(payload, action, maxBytes, length))
    },
  )
}

/** Documents may name limits of 64 bits, which need not be exact. */
function read(request: FastifyRequest, bytes: Buffer): unknown {
  try {
    return readJson(request, bytes)
  } catch (error) {
    const isInexact = error instanceof DomainError && error.code === 'number_too_large'
    const text = bytes.toString()
    if (!isInexact || request.method !== 'PUT' || !isStorableJson(text)) throw error
    return JSON.parse(text)
  }
}

async function collect(
  payload: IncomingMessage,
  action: string,
  maxBytes: number,
  length: number,
): Promise<Buffer> {
  const bytes = await collectBody(arrivingBody(payload, action, { maxBytes }), length)
  return Buffer.from(bytes.buffer)
}
