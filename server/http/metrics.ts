import fastify, { LogController, type FastifyInstance, type FastifyRequest } from 'fastify'
import { refuseSuspended, type Authenticator } from '../identity.ts'
import { cached } from '../cached.ts'
import type { Services } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { addBasics, baseOptions } from './base-server.ts'
import { addHealth } from './health.ts'

/** How long the metrics text is cached: it takes milliseconds, more with many connections. */
const freshMs = 1_000

/** With an `authenticator`, only for admins. */
export function addMetrics(
  app: FastifyInstance,
  { registry }: Pick<Metrics, 'registry'>,
  authenticator?: Authenticator,
): void {
  const onRequest = async ({ headers }: FastifyRequest): Promise<void> => {
    if (authenticator === undefined) return
    const { authorization } = headers
    const identity = await authenticator.identify({ authorization, session: undefined })
    refuseSuspended(identity, 'read the metrics')
    const { role } = identity
    if (role === 'admin') return
    const why = `the key has the role ${role}, expected admin`
    throw new DomainError('role_required', `Cannot read the metrics: ${why}`)
  }
  const text = cached(async () => Buffer.from(await registry.metrics()), freshMs)
  app.get('/metrics', { schema: { hide: true }, onRequest }, async (_, reply) => {
    reply.header('content-type', registry.contentType)
    return reply.send(await text())
  })
}

/** Serves `/metrics` and the health checks on a port of their own, as workers need it. */
export async function createMetricsServer(
  services: Pick<Services, 'database' | 'feed' | 'log'>,
  metrics: Pick<Metrics, 'registry'>,
): Promise<FastifyInstance> {
  const app = fastify({
    ...baseOptions,
    loggerInstance: services.log,
    logController: new LogController({ disableRequestLogging: true }),
  }) as unknown as FastifyInstance
  addBasics(app)
  addHealth(app, services)
  addMetrics(app, metrics)
  return app
}
