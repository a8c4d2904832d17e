import fastify, { type FastifyInstance } from 'fastify'
import type { Services } from '../context.ts'
import type { Metrics } from '../metrics.ts'
import { addHealth } from './health.ts'

export function addMetrics(app: FastifyInstance, { registry }: Metrics): void {
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('content-type', registry.contentType).send(await registry.metrics()),
  )
}

/** `/metrics` and the health checks on a port of their own, as workers have it. */
export async function createMetricsServer(
  services: Services,
  metrics: Metrics,
): Promise<FastifyInstance> {
  const app = fastify({ forceCloseConnections: 'idle' })
  addHealth(app, services)
  addMetrics(app, metrics)
  return app
}
