import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { unlimited } from '../../accounts/account-state.ts'
import type { Services } from '../../context.ts'
import type { Gatherer } from '../../db/batcher.ts'
import { openBatcher } from '../../db/run.ts'
import { cannot, DomainError, notFound } from '../../errors.ts'
import { refuseSuspended } from '../../identity.ts'
import { newId } from '../../ids.ts'
import { limitArrival } from '../../http/traffic/arrival.ts'
import type { RateLimitState } from '../../rate-limiter.ts'
import { storable } from '../../safe-text.ts'
import { Backlog } from './backlog.ts'
import { isForm, parseBody, refuseFields, refuseType } from './body.ts'
import { storeDeliveries, storeRefusal, type NewDelivery } from './delivery-store.ts'
import { isOver } from './hooks.ts'
import { handshakeOf, isPing, verify, type Sent } from './schemes.ts'
import { isKey, readToken, secretPlace } from './secret.ts'
import { findAddressed, type Addressed } from './store.ts'

/**
 * Receives events. The address is checked before the body is read, and the signature before the
 * body is used. A genuine event is stored once and answered with 202; its run starts in the
 * background. The response to a refused request reveals nothing about the hook; the reason is
 * stored for the hook's owner.
 */
const maxBodyBytes = 1024 * 1024
const action = 'take event'

/** Larger bodies are written one by one, so that a batch stays below some megabytes. */
const batchedBytes = 64 * 1024
const maxBatched = 100

declare module 'fastify' {
  interface FastifyRequest {
    /** The hook that the address names; only on the route of events. */
    addressed: Addressed | null
  }
}

export function addHookAddresses(
  app: FastifyInstance,
  services: Services,
  /** Timeout for the body. */
  bodyMs: number,
): void {
  const { limits } = services
  const backlog = new Backlog(services.database)
  const store: Gatherer<NewDelivery, string | undefined> = openBatcher(
    services.database,
    (deliveries) => storeDeliveries(services.database, deliveries),
    { maxItems: maxBatched, maxWaitMs: 5_000 },
  )

  void app.register(async (plugin) => {
    plugin.decorateRequest('addressed', null)
    plugin.removeAllContentTypeParsers()
    plugin.addContentTypeParser(
      '*',
      { parseAs: 'buffer' },
      async (_: unknown, body: Buffer) => body,
    )

    plugin.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      limitArrival(request.raw, reply.raw, bodyMs)
      const now = performance.now()
      // Services such as GitHub and Slack send everybody's events from the same network addresses, so failed look-ups
      // never refuse an event whose token is known.
      const hook = await findHook(services, (request.params as { token: string }).token)
      if (hook === undefined) {
        refuseOver(
          limits.unknownHooks.take(request.ip, now),
          'too many requests to addresses of no hook',
        )
        throw notFound({ action }, 'hook', 'of this address')
      }
      const account = { ...unlimited, isSuspended: hook.isSuspended }
      refuseSuspended({ account }, action)
      refuseOver(
        limits.hookEventsOfHook.take(`${hook.accountId} ${hook.id}`, now),
        'the hook had too many events',
      )
      refuseOver(
        limits.hookEventsOfAccount.take(hook.accountId, now),
        'the account had too many events',
      )
      request.addressed = hook
    })

    const schema = { hide: true, params: Type.Object({ token: Type.String({ maxLength: 100 }) }) }
    plugin.post('/hooks/:token', { bodyLimit: maxBodyBytes, schema }, async (request, reply) => {
      const hook = request.addressed as Addressed
      const sent = readSent(request)
      const verdict = verify(sent, hook, secretsOf(services, hook), Date.now())
      const about = aboutOf(hook, sent)
      if (verdict.kind === 'refused') {
        const isKept =
          hook.status === 'active' && limits.hookRefusals.take(hook.id, performance.now()).allowed
        if (isKept) await storeRefusal(services.database, { ...about, why: verdict.why })
        throw new DomainError('invalid_signature', `Cannot ${action}: ${verdict.why}`)
      }
      const badType = refuseType(sent.contentType)
      const unread = badType ?? refuseFields(sent.bytes, sent.contentType)
      if (unread !== undefined) {
        const isKept =
          hook.status === 'active' && limits.hookRefusals.take(hook.id, performance.now()).allowed
        if (isKept) await storeRefusal(services.database, { ...about, why: unread })
        const code = badType === undefined ? 'invalid_request' : 'unsupported_media_type'
        throw cannot({ action }, code, unread)
      }
      const challenge = handshakeOf(sent, hook)
      if (challenge !== undefined) return reply.type('text/plain').send(challenge)
      // Slack shows any other answer to a slash command or a button as an error or a message.
      const isCommand = hook.scheme === 'slack' && isForm(sent.contentType)
      const answer = (id: string | null, status: Taken): FastifyReply =>
        isCommand ? reply.status(200).send() : reply.status(202).send({ data: { id, status } })
      if (hook.status === 'paused') return answer(null, 'ignored')
      await backlog.refuseFull(hook.accountId, hook.id, action)
      const { eventId, eventType } = verdict
      const delivery: NewDelivery = {
        ...about,
        eventId: eventId === null ? null : storable(eventId).slice(0, 200),
        eventType: eventType === null ? null : storable(eventType).slice(0, 200),
        runId: newId('run'),
        eventKey: hook.dedupe === 'none' ? `once ${about.id}` : keyOf(eventId, sent.bytes),
        bytes: sent.bytes,
        isPing: isPing(verdict, hook),
      }
      const stored = await (sent.bytes.length > batchedBytes
        ? storeDeliveries(services.database, [delivery]).then(([id]) => id)
        : store.add(delivery))
      if (stored === undefined) throw notFound({ action }, 'hook', 'of this address')
      return answer(stored, stored === delivery.id ? 'accepted' : 'repeated')
    })

    // Some senders check the address first, and some people open it.
    plugin.route({
      method: ['GET', 'HEAD'],
      url: '/hooks/:token',
      schema,
      handler: async (_request, reply) =>
        reply.type('text/plain').send('This address takes events by POST.\n'),
    })
  })
}

type Taken = 'accepted' | 'repeated' | 'ignored'

async function findHook(services: Services, token: string): Promise<Addressed | undefined> {
  const named = readToken(token)
  if (named === undefined) return undefined
  const hook = await findAddressed(services.database, named.accountId, named.id)
  return hook !== undefined && isKey(services.secrets, hook, named.key) ? hook : undefined
}

function refuseOver({ allowed, resetSeconds }: RateLimitState, why: string): void {
  if (allowed) return
  throw new DomainError('rate_limited', `Cannot ${action}: ${why} in a minute`, {
    retryAfterSeconds: resetSeconds,
  })
}

function readSent({ headers, body }: FastifyRequest): Sent & { contentType: string } {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  if (bytes.length === 0) throw cannot({ action }, 'required', 'the body is empty')
  const contentType = (headers['content-type'] ?? '').slice(0, 200)
  const single = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return {
    headers: Object.fromEntries(single),
    bytes,
    contentType,
    body: parseBody(bytes, contentType),
  }
}

function secretsOf({ secrets }: Services, hook: Addressed): string[] {
  const { accountId, id, secret, previous_secret: previous } = hook
  const isLive = previous !== null && !isOver(hook.previous_secret_expires_at)
  const sealed = [secret, isLive ? previous : null].filter((one) => one !== null)
  return sealed.map((one) => secrets.open(one, secretPlace(accountId, id)).toString())
}

function aboutOf(
  hook: Addressed,
  sent: Sent & { contentType: string },
): Pick<
  NewDelivery,
  'accountId' | 'hookId' | 'id' | 'eventId' | 'eventType' | 'headers' | 'contentType'
> {
  return {
    accountId: hook.accountId,
    hookId: hook.id,
    id: newId('hdl'),
    eventId: null,
    eventType: null,
    headers: keptHeaders(sent.headers),
    contentType: sent.contentType,
  }
}

const maxHeaders = 50
const maxHeaderLength = 1_000

/**
 * Headers without credentials and signatures, which deliveries must not show and filters do not
 * need.
 */
function keptHeaders(headers: Record<string, string>): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => !/authorization|cookie|secret|signature|token|api-?key|hmac/.test(name),
  )
  const cut = kept
    .slice(0, maxHeaders)
    .map(([name, value]) => [name, storable(value).slice(0, maxHeaderLength)])
  return Object.fromEntries(cut)
}

/** Identifies an event within its hook: by the sender's id, or by its body. */
function keyOf(eventId: string | null, bytes: Buffer): string {
  return eventId === null
    ? `body ${hash('sha256', bytes, 'base64url')}`
    : `id ${hash('sha256', eventId, 'base64url')}`
}
