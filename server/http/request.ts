import type { FastifyRequest } from 'fastify'
import type { Authenticator, Identity } from '../identity.ts'
import type { Caller, Services } from '../context.ts'
import type { Documented } from './document.ts'
import type { IdempotentRequest } from './idempotency-store.ts'
import type { LargeAnswers } from './traffic/large-answers.ts'
import type { Operation } from './operation.ts'
import type { SendPace } from './traffic/send-pace.ts'

/** What hooks add to requests, to the server and to the settings of a route. */
declare module 'fastify' {
  interface FastifyRequest {
    /** The person or key that it came from; null on routes that need none. */
    identity: Identity | null
    /** The caller was known before the body had arrived. */
    isArriving: boolean
    idempotent: IdempotentRequest | null
    /** Renews its claim on an Idempotency-Key. */
    heartbeat: NodeJS.Timeout | undefined
    /** For operations; only on routes under `/v1`. */
    ctx: Caller
    services: Services
  }

  interface FastifyInstance {
    authenticator: Authenticator
    large: LargeAnswers
    pace: SendPace
  }

  interface FastifyContextConfig {
    operation?: Operation
    /** A route that is no operation, and is open to anyone: requests are counted by network address. */
    isLimitedByAddress?: boolean
    documented?: Documented
  }
}

/** Completes "Cannot …" in messages. */
export function actionOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.config.operation?.action ?? 'answer'
}

/** The path for logs and traces. A token in it is a secret, so there the pattern of the route is shown. */
export function shownPath({ url, routeOptions }: FastifyRequest): string | undefined {
  const { url: pattern } = routeOptions
  return pattern?.includes('/:token') === true ? pattern : url.split('?', 1)[0]
}
