import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
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
      if (isSmall) return readJson(request, await collect(payload, action, maxBytes, length))
      leaveToRate(payload)
      const { accountId, limits } = request.ctx
      using _slot = await limits.apiDocuments.take(accountId, action)
      return readJson(request, await collect(payload, action, maxBytes, length))
    },
  )
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
