import { PassThrough } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { accountRoutes } from './accounts/routes.ts'
import type { Services } from './context.ts'
import { modelRoutes } from './http/model-routes.ts'
import { addOpenApi } from './http/openapi.ts'
import { createHttpServer } from './http/server.ts'
import type { Metrics } from './metrics.ts'
import { runRoutes } from './runs/routes.ts'
import { version } from './version.ts'
import { workflowRoutes } from './workflows/routes.ts'

/** Every route under `/v1`, one plugin a noun. */
export async function addRoutes(app: FastifyInstance): Promise<void> {
  await app.register(accountRoutes)
  await app.register(workflowRoutes)
  await app.register(runRoutes)
  await app.register(modelRoutes)
}

/**
 * The OpenAPI document of this build, for the SDK's generator: the routes are declared and never
 * called, so neither database nor network is needed.
 */
export async function openApiDocument(): Promise<Record<string, unknown>> {
  const app = createHttpServer({
    services: { log: pino({ level: 'silent' }, new PassThrough()) } as Services,
    authenticate: () => Promise.reject(new Error('Cannot answer: there is no database')),
    metrics: {} as Metrics,
    rateLimitPerMinute: 0,
  })
  try {
    await addOpenApi(app, version)
    await addRoutes(app)
    await app.ready()
    return app.swagger() as unknown as Record<string, unknown>
  } finally {
    await app.close()
  }
}
