import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../errors.ts'
import { arrivingBody, collectBody, leaveToRate, tooLarge } from '../../http/traffic/arrival.ts'
import { readJson } from '../../http/traffic/json-body.ts'
import { actionOf } from '../../http/request.ts'
import { maxTrainingBytes } from './limits.ts'
import { readBodyInWorker } from './read-in-worker.ts'
import type { TrainingSet } from './training-set.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's `training_data`; null if it has none. */
    trainingSet: TrainingSet | 'too-large' | null
  }
}

/**
 * Limit of bodies. JSON needs at most 3 bytes for one (`é` has 2 and may be escaped in 6), unless
 * the client escapes plain ASCII; 1 MB is for the other fields.
 */
const maxBodyBytes = 3 * maxTrainingBytes + 1024 * 1024

/**
 * Reads the bodies of these routes in a thread that extracts the training data. The rest is small
 * and parsed like any other body; its `training_data` is the hash of the original, so that an
 * Idempotency-Key compares it too.
 */
export function addUploadBody(app: FastifyInstance): void {
  app.decorateRequest('trainingSet', null)
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(
    'application/json',
    async (request: FastifyRequest, payload: IncomingMessage) => {
      const action = actionOf(request)
      const { accountId, limits, sandbox } = request.ctx
      const maxBytes = maxBodyBytes
      const length = Number(request.headers['content-length'] ?? 0)
      if (length > maxBytes) throw tooLarge(action, maxBytes)
      leaveToRate(payload)
      using _arrival = await limits.trainingBodies.take(accountId, action)
      const body = await collectBody(arrivingBody(payload, action, { maxBytes }), length)
      const answer = await readBodyInWorker({ accountId, action, sandbox }, body)
      switch (answer.kind) {
        case 'body':
          request.trainingSet = answer.set
          return readJson(request, Buffer.from(answer.rest))
        case 'bad-utf8':
          throw badUtf8(action, answer.line)
      }
    },
  )
}

function badUtf8(action: string, line: number | undefined): DomainError {
  if (line === undefined) {
    return new DomainError('invalid_json', `Cannot ${action}: the body is not valid UTF-8`)
  }
  return new DomainError(
    'invalid_training_data',
    `Cannot ${action}: line ${line} of training_data is not valid UTF-8`,
    { param: 'training_data', line },
  )
}
