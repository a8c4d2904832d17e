import type { FastifyInstance } from 'fastify'
import { cached } from '../cached.ts'
import type { Services } from '../context.ts'
import { assertWritable, outageOf } from '../db/outage.ts'
import { DomainError } from '../errors.ts'
import { within } from '../within.ts'

/**
 * `/healthz`: the process answers. `/readyz`: the database takes writes, and the process is not
 * stopping. Requests within the same second share one check of the database.
 */
export function addHealth(
  app: FastifyInstance,
  { database, feed }: Pick<Services, 'database' | 'feed'>,
  nowMs: () => number = () => performance.now(),
): void {
  app.get('/healthz', { schema: { hide: true }, logLevel: 'silent' }, () => ({ status: 'ok' }))

  const look = cached(() => assertWritable(database), lifetimeMs, nowMs)
  app.get('/readyz', { schema: { hide: true }, logLevel: 'silent' }, async () => {
    if (feed.closed) {
      throw new DomainError('shutting_down', 'Cannot take requests: the process is stopping')
    }
    await within(patienceMs, look(), () => new Error('no answer')).catch((error: unknown) => {
      const why = outageOf(error) ?? 'does not answer'
      throw new DomainError('database_unavailable', `Cannot take requests: the database ${why}`, {
        retryAfterSeconds: 2,
        cause: error,
      })
    })
    return { status: 'ready', database: true }
  })
}

const patienceMs = 2_000
const lifetimeMs = 1_000
