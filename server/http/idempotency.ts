import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/client.ts'
import { openBatcher } from '../db/run.ts'
import { DomainError } from '../errors.ts'
import { newId, uuidOf } from '../ids.ts'
import type { SealedPlace, SecretBox } from '../secret-box.ts'
import * as store from './idempotency-store.ts'
import type { Operation } from './operation.ts'
import { actionOf } from './request.ts'

/**
 * `Idempotency-Key` on POST: a repeated request with the same key and body gets the stored
 * response. A key is claimed before the request runs, and the response is stored before the client
 * gets it. If the process dies in between, a repeat runs with the id that was reserved at the first
 * try, so it creates the same resource and not a second one. A long request renews its claim.
 */
export function addIdempotency(
  app: FastifyInstance,
  { database, secrets, leaseMs }: { database: Database; secrets: SecretBox; leaseMs: number },
): void {
  const claims = openBatcher(
    database,
    (requests: store.IdempotentRequest[]) => store.claimKeys(database, requests, leaseMs),
    { maxFlushes: 2 },
  )
  const answers = openBatcher(
    database,
    async (answered: (store.IdempotentKey & store.StoredAnswer)[]) => {
      await store.storeAnswers(database, answered, true)
      return answered.map(() => {})
    },
    { maxFlushes: 2 },
  )
  // On another pool: the connections of one account may all be busy for longer than a lease.
  const heartbeats = openBatcher(database, async (requests: store.IdempotentKey[]) => {
    await store.renewClaims(database, requests)
    return requests.map(() => {})
  })
  app.decorateRequest('heartbeat', undefined)

  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'POST' || request.identity === null) return
    const header = request.headers['idempotency-key']
    if (header === undefined) return
    const { ctx } = request
    const action = actionOf(request)
    const key = parseKey(header, action)
    if (changesNothing(request)) return
    const idempotent = toIdempotentRequest(request, key)
    const reserved = await claims.add(idempotent)
    if (reserved !== undefined) {
      request.idempotent = { ...idempotent, reserved }
      request.heartbeat = setInterval(() => {
        heartbeats.add(idempotent).catch(() => {})
      }, leaseMs / 4)
      return
    }
    const other = await store.readOther(ctx.database, idempotent)
    switch (other.kind) {
      case 'replay':
        return replay(reply, idempotent, other)
      case 'other-body':
        throw new DomainError(
          'idempotency_key_reused',
          `Cannot ${action}: the Idempotency-Key was used with another body, use a new key`,
        )
      case 'not-kept':
        throw new DomainError(
          'answer_not_kept',
          `Cannot ${action}: it was done with this Idempotency-Key, but its response was not stored, because it ` +
            'contains a secret and MUSTER_SECRET_KEY is not set; delete the object and use a new key',
        )
      case 'in-progress':
        throw new DomainError(
          'idempotency_in_progress',
          `Cannot ${action}: a request with this Idempotency-Key is still in progress`,
          { retryAfterSeconds: 1 },
        )
    }
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const { idempotent } = request
    if (idempotent === null) return payload
    const { database } = request.ctx
    request.idempotent = null
    clearInterval(request.heartbeat)
    const status = reply.statusCode
    // The response is sent even if the reset fails: the key is then free when its lease expires.
    if (status >= 500) {
      await store.reset(database, idempotent).catch(() => {})
      return payload
    }
    if (isForgotten(status) || typeof payload !== 'string') {
      await store.release(database, idempotent).catch(() => {})
      return payload
    }
    const plain = Buffer.from(payload)
    const { operation } = request.routeOptions.config
    const encrypted = hasSecret(operation, status)
    // Without an encryption key, only the status of a response with a secret is stored.
    const seal = () => secrets.seal(plain, answerPlace(idempotent))
    const canKeep = !encrypted || secrets.keyId !== undefined
    try {
      const answer = !canKeep ? null : encrypted ? seal() : plain
      const answered = { ...idempotent, status, answer, encrypted }
      const mayBeLost = isRepeatable(operation, status)
      if (mayBeLost && plain.length <= maxGatheredBytes) await answers.add(answered)
      else await store.storeAnswers(database, [answered], mayBeLost)
    } catch (error) {
      await store.reset(database, idempotent).catch(() => {})
      if (status < 400) throw error
    }
    return payload
  })

  function replay(
    reply: FastifyReply,
    request: store.IdempotentRequest,
    { status, answer, encrypted }: { status: number; answer: Buffer; encrypted: boolean },
  ): FastifyReply {
    const body = encrypted ? secrets.open(answer, answerPlace(request)) : answer
    return reply
      .status(status)
      .header('idempotent-replayed', 'true')
      .header('content-type', 'application/json; charset=utf-8')
      .serializer((text: unknown) => String(text))
      .send(body.toString())
  }
}

function hasSecret(operation: Answering | undefined, status: number): boolean {
  return operation?.answersSecret === true && status < 400
}

type Answering = Pick<Operation, 'creates' | 'answersSecret'>

/** Whether a repeat whose stored response was lost gets the same one: what the request created, without a secret. */
export function isRepeatable(operation: Answering | undefined, status: number): boolean {
  return operation?.creates !== undefined && !hasSecret(operation, status)
}

/** Whether a repeat is harmless anyway, so that its response, which may be large, need not be stored. */
function changesNothing({ body, query, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.config.operation?.readOnly === true) return true
  return [body, query].some(
    (given) =>
      typeof given === 'object' && given !== null && 'dry_run' in given && isTrue(given.dry_run),
  )
}

/** A query has texts. */
const isTrue = (value: unknown): boolean => value === true || value === 'true'

/** Largest response that is stored in one statement together with others. */
const maxGatheredBytes = 16 * 1024

function toIdempotentRequest(request: FastifyRequest, key: string): store.IdempotentRequest {
  const path = request.url.split('?', 1)[0] as string
  return {
    accountId: request.ctx.accountId,
    key,
    route: `${request.method} ${path}`,
    bodyHash: request.bodyHash ?? hash('sha256', JSON.stringify(request.body ?? null), 'buffer'),
    reserved: uuidOf(newId('req')),
  }
}

/** A bare or quoted key of 1 to 255 visible characters. */
function parseKey(header: string | string[] | undefined, action: string): string {
  const text = String(header)
  const key = /^"(.*)"$/.exec(text)?.[1] ?? text
  const isAscii = /^[\x20-\x7e]*$/.test(key)
  if (!isAscii || key.length < 1 || key.length > 255) {
    throw new DomainError(
      'invalid_format',
      `Cannot ${action}: Idempotency-Key has ${isAscii ? `${key.length} characters` : 'characters outside ASCII'}, expected 1 to 255 of ASCII`,
      { param: 'Idempotency-Key' },
    )
  }
  return key
}

/** Responses to requests that changed nothing are not stored, because a repeat may succeed. */
function isForgotten(status: number): boolean {
  return [400, 401, 403, 409, 412, 429].includes(status)
}

/** Binds an encrypted response to its account, key and route. */
export function answerPlace({
  accountId,
  route,
  key,
}: Pick<store.IdempotentRequest, 'accountId' | 'route' | 'key'>): SealedPlace {
  return ['answer', accountId, route, key]
}
