import type { FastifyRequest } from 'fastify'
import type { Authenticator, Identity } from '../identity.ts'
import type { Caller, Services } from '../context.ts'
import type { Documented } from './document.ts'
import type { IdempotentRequest } from './idempotency-store.ts'
import type { HeldRequests } from './traffic/held-requests.ts'
import type { LargeAnswers } from './traffic/large-answers.ts'
import type { Operation } from './operation.ts'

/** Fields that hooks add to requests, to the server and to the options of routes. */
declare module 'fastify' {
  interface FastifyRequest {
    /** The user or key that sent the request; null on routes that need no identity. */
    identity: Identity | null
    /** The caller was authenticated before the body arrived. */
    isArriving: boolean
    idempotent: IdempotentRequest | null
    /** SHA-256 of a body that its route reads itself. */
    bodyHash: Buffer | undefined
    /** Renews its claim on an Idempotency-Key. */
    heartbeat: NodeJS.Timeout | undefined
    /** Set for operations only, which are under `/v1`. */
    ctx: Caller
    services: Services
  }

  interface FastifyInstance {
    authenticator: Authenticator
    large: LargeAnswers
    held: HeldRequests
  }

  interface FastifyContextConfig {
    operation?: Operation
    /** Authenticates the requests of the route, if key or session of its header and cookie do not. */
    identify?: (request: FastifyRequest) => Promise<Identity>
    /** A public route that is not an operation: its requests are limited by network address. */
    isLimitedByAddress?: boolean
    documented?: Documented
  }
}

/** Completes "Cannot …" in messages. */
export function actionOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.config.operation?.action ?? 'answer'
}

/**
 * The path for logs and traces. If it contains a token, which is secret, the route's pattern is
 * shown instead.
 */
export function shownPath({ url, routeOptions }: FastifyRequest): string | undefined {
  const { url: pattern } = routeOptions
  return pattern?.includes('/:token') === true ? pattern : url.split('?', 1)[0]
}
