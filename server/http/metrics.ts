import fastify, { LogController, type FastifyInstance } from 'fastify'
import type { Services } from '../context.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { addFailures, baseOptions } from './base-server.ts'
import { addHealth } from './health.ts'

export function addMetrics(app: FastifyInstance, { registry }: Pick<Metrics, 'registry'>): void {
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('content-type', registry.contentType).send(await registry.metrics()),
  )
}

/** `/metrics` and the health checks on a port of their own, as workers have it. */
export async function createMetricsServer(
  services: Pick<Services, 'database' | 'watcher' | 'log'>,
  metrics: Pick<Metrics, 'registry'>,
): Promise<FastifyInstance> {
  const app = fastify({
    ...baseOptions,
    loggerInstance: services.log,
    logController: new LogController({ disableRequestLogging: true }),
  }) as unknown as FastifyInstance
  addFailures(app)
  addHealth(app, services)
  addMetrics(app, metrics)
  return app
}
