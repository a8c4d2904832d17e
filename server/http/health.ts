import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Services } from '../context.ts'
import { DomainError } from '../errors.ts'

/** `/healthz`: the process answers. `/readyz`: the database and the queue do, and it is not stopping. */
export function addHealth(
  app: FastifyInstance,
  { database, queue, watcher }: Pick<Services, 'database' | 'queue' | 'watcher'>,
): void {
  app.get('/healthz', { schema: { hide: true }, logLevel: 'silent' }, () => ({ status: 'ok' }))

  app.get('/readyz', { schema: { hide: true }, logLevel: 'silent' }, async () => {
    if (watcher.closed) {
      throw new DomainError('shutting_down', 'Cannot take requests: the process is stopping')
    }
    const checks = {
      database: await answers(sql`select 1`.execute(database)),
      queue: await answers(queue.stats()),
    }
    if (checks.database && checks.queue) return { status: 'ready', ...checks }
    const silent = checks.database ? 'queue' : 'database'
    throw new DomainError(
      'database_unavailable',
      `Cannot take requests: the ${silent} does not answer`,
    )
  })
}

async function answers(check: Promise<unknown>): Promise<boolean> {
  return check.then(
    () => true,
    () => false,
  )
}
