import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Services } from '../context.ts'

/** `/healthz`: the process answers. `/readyz`: the database and the queue do, and it is not stopping. */
export function addHealth(
  app: FastifyInstance,
  { database, queue, watcher }: Pick<Services, 'database' | 'queue' | 'watcher'>,
): void {
  app.get('/healthz', { schema: { hide: true }, logLevel: 'silent' }, () => ({ status: 'ok' }))

  app.get('/readyz', { schema: { hide: true }, logLevel: 'silent' }, async (_request, reply) => {
    const checks = {
      database: await answers(sql`select 1`.execute(database)),
      queue: await answers(queue.stats()),
      stopping: watcher.closed,
    }
    const isReady = checks.database && checks.queue && !checks.stopping
    return reply
      .status(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'not ready', ...checks })
  })
}

async function answers(check: Promise<unknown>): Promise<boolean> {
  return check.then(
    () => true,
    () => false,
  )
}
