import { Readable } from 'node:stream'
import cookie from '@fastify/cookie'
import {
  refuseSuspended,
  sessionEnded,
  type Authenticator,
  type Identity,
  allows,
} from '../identity.ts'
import type { Services } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { keepForRest, limitArrival } from './traffic/arrival.ts'
import { addBasics, baseOptions, buildSerializer } from './base-server.ts'
import { addJsonBody } from './traffic/json-body.ts'
import { refuseOtherOrigins, sessionCookie } from './session-cookie.ts'
import { HeldRequests } from './traffic/held-requests.ts'
import { LargeAnswers } from './traffic/large-answers.ts'
import type { Operation } from './operation.ts'
import { RequestLimits } from './traffic/request-limits.ts'
import { shownPath } from './request.ts'
import { Deleted, ErrorBody } from '../wire-types.ts'
import { TextParts } from './traffic/text-parts.ts'
import { createValidatorFactory, refuseBody } from './validation.ts'
import fastify, { LogController, type FastifyInstance, type FastifyRequest } from 'fastify'
import cors from '@fastify/cors'

/**
 * The HTTP server without its routes. Each request passes, before its body is read: request id,
 * authentication, role and rate limit; then: body, validation, idempotency, operation.
 */
export interface HttpOptions {
  services: Services
  authenticator: Authenticator
  metrics: Metrics
  /** Networks of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies?: string[]
  /** Origins whose pages may send requests; none by default. */
  corsOrigins?: readonly string[]
  timeouts?: typeof defaultTimeouts
}

const bodyLimit = 1024 * 1024
/** In characters. */
const shortAnswer = 16 * 1024
/** Limit for any request body, including those with a minimum rate. */
const longestArrivalMs = 3_600_000
/**
 * Timeouts for a request to arrive, and for a response to stall or to be sent; then the connection
 * is cut.
 */
const defaultTimeouts = {
  headersMs: 15_000,
  requestMs: 60_000,
  checkEveryMs: 5_000,
  unreadMs: 30_000,
  answerMs: 300_000,
}

export async function createHttpServer(options: HttpOptions): Promise<FastifyInstance> {
  const { services, authenticator, metrics, corsOrigins = [], timeouts = defaultTimeouts } = options
  const app = fastify({
    ...baseOptions,
    loggerInstance: services.log,
    logController: new LogController({ disableRequestLogging: true }),
    schemaController: {
      compilersFactory: { buildSerializer, buildValidator: createValidatorFactory() as never },
    },
    bodyLimit,
    requestTimeout: longestArrivalMs,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
    },
    keepAliveTimeout: 72_000,
    trustProxy: options.trustedProxies ?? false,
    routerOptions: { maxParamLength: 100 },
    return503OnClosing: false,
  }) as unknown as FastifyInstance

  void app.register(cookie)
  addBasics(app)
  // Before authentication: a preflight has no key, and pages must be able to read why a key is
  // rejected.
  await addCors(app, corsOrigins)
  addJsonBody(app)
  app.addSchema(ErrorBody).addSchema(Deleted)
  app.decorateRequest('identity', null)
  app.decorateRequest('idempotent', null)
  app.decorateRequest('bodyHash')
  app.decorateRequest('isArriving', false)
  app.decorateRequest('ctx')
  app.decorate('authenticator', authenticator)
  app.decorate('large', new LargeAnswers(services.limits))
  app.decorate('held', new HeldRequests(services.limits.heldRequests))

  app.addHook('onRequest', async ({ raw }, reply) => {
    limitArrival(raw, reply.raw, timeouts.requestMs)
    const { socket } = raw
    // A timeout only matters while there is something to send.
    reply.raw.setTimeout(timeouts.unreadMs, () => {
      if (socket.writableLength > 0) socket.destroy()
    })
  })
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!url.startsWith('/v1/') || config?.operation !== undefined) return
    throw new Error(`Cannot start: ${String(method)} ${url} is not an operation`)
  })

  const limits = new RequestLimits(services.limits, app.large)
  app.addHook('onRequest', async (request, reply) => {
    const { operation, isLimitedByAddress, identify } = request.routeOptions.config
    if (isLimitedByAddress === true) limits.takeFrom(`address ${request.ip}`, reply)
    if (operation === undefined) return
    const { action } = operation
    reply.header('cache-control', 'no-store')
    // PostgreSQL's text cannot contain NUL. Bodies are checked when they are read.
    if (request.url.includes('%00')) {
      throw new DomainError('invalid_characters', `Cannot ${action}: the address holds a NUL`)
    }
    request.services = services
    if (operation.role === 'anyone') {
      limits.takeFrom(`address ${request.ip}`, reply)
      return
    }
    const credentials = credentialsOf(request)
    const name = credentials.authorization ?? credentials.session ?? ''
    const wasRefused = await limits.checkRefused(name, reply, operation)
    const identity = await (identify?.(request) ?? authenticator.identify(credentials))
    request.identity = identity
    if (!wasRefused) limits.check(name, identity, reply, operation)
    const hasCookie = identify === undefined && identity.actor.type === 'user'
    if (hasCookie) refuseOtherOrigins(request, services.publicUrl, action)
    checkRights(identity, operation)
    const { accountId } = identity
    request.ctx = {
      ...services,
      ...identity,
      // What changes something goes before what only reads.
      database: services.shares.of(accountId, { isFirst: !isRead(request.method) }),
      models: await services.accountModels.of(accountId),
    }
    const empty = Object.entries(request.params as object).find(([, value]) => value === '')
    if (empty !== undefined) {
      throw new DomainError('not_found', `Cannot ${action}: the path has no ${empty[0]} in it`)
    }
    request.isArriving = !request.raw.complete
  })

  // A body may take long to arrive, so access that its sender lost meanwhile must not count.
  app.addHook('preValidation', async (request) => {
    const { identity, isArriving, routeOptions } = request
    const { operation, identify } = routeOptions.config
    if (!isArriving || identity === null || operation === undefined) return
    const now = await (identify?.(request) ?? authenticator.identify(credentialsOf(request)))
    if (now.accountId !== identity.accountId) throw sessionEnded()
    checkRights(now, operation)
    Object.assign(request.ctx, now)
  })

  // These routes have no body schema, because it would appear in the OpenAPI document, so the body
  // is checked here.
  app.addHook('preValidation', async ({ body, routeOptions: { config } }) => {
    const { operation } = config
    if (operation === undefined || operation.body !== undefined || body === undefined) return
    refuseBody(body, operation.action)
  })

  app.addHook('onSend', ({ identity, method, raw }, reply, payload, done) => {
    const { socket } = raw
    keepForRest(reply)
    // Fastify would read a stream to its end without sending anything.
    if (method === 'HEAD' && payload instanceof Readable) payload.destroy()
    // The socket's timeout restarts with every byte that the client sends, so long responses have a
    // fixed one too. Streams hold little memory, and short responses fit the system's buffers.
    const isStream = payload instanceof Readable && !(payload instanceof TextParts)
    const isShort = typeof payload === 'string' && payload.length < shortAnswer
    if (!isStream && !isShort && !socket.destroyed) {
      const timer = setTimeout(() => socket.destroy(), timeouts.answerMs).unref()
      reply.raw.once('close', () => clearTimeout(timer))
    }
    if (identity !== null) app.large.count(identity.accountId, reply, payload)
    // A stopping process must not wait for kept-alive connections; `onResponse` closes those of
    // streams, for which see `sendEvents`.
    if (services.feed.closed && !(payload instanceof Readable)) reply.header('connection', 'close')
    done(null, payload)
  })

  app.addHook('onResponse', async (request, reply) => {
    // The headers of this response, such as those of a stream, were sent before the process stopped.
    if (services.feed.closed) request.raw.socket.destroySoon()
    const route = request.routeOptions.url ?? 'unknown'
    const { method, identity } = request
    const status = reply.statusCode
    metrics.httpSeconds.observe({ method, route, status }, reply.elapsedTime / 1000)
    request.log[status >= 500 ? 'error' : 'info'](
      {
        method,
        path: shownPath(request),
        status,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        accountId: identity?.accountId,
        actorId: identity?.actor.id,
      },
      'request',
    )
  })

  return app
}

function checkRights(
  identity: Identity,
  {
    role,
    forWorkers,
    action,
    whileSuspended,
  }: Pick<Operation, 'role' | 'forWorkers' | 'action' | 'whileSuspended'>,
): void {
  if (whileSuspended !== true) refuseSuspended(identity, action)
  if (allows(identity.role, role)) return
  if (forWorkers === true && identity.role === 'worker') return
  throw new DomainError(
    'role_required',
    `Cannot ${action}: the ${identity.actor.type} has the role ${identity.role}, expected ${role}${role === 'operator' ? '' : ' or above'}`,
  )
}

function credentialsOf({
  headers,
  cookies,
}: FastifyRequest): Parameters<Authenticator['identify']>[0] {
  return { authorization: headers.authorization, session: cookies[sessionCookie] }
}

/** Response headers that pages of other origins may read. */
const exposedHeaders = [
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
  'Idempotent-Replayed',
  'ETag',
  'WWW-Authenticate',
]
/** The longest that browsers cache the response to a preflight. */
const maxAgeSeconds = 7_200

/** Allows requests with an API key from pages of these origins; cookies are never sent. */
async function addCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  await app.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders,
    maxAge: maxAgeSeconds,
    strictPreflight: false,
  })
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
