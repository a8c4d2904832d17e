import { PassThrough } from 'node:stream'
import pino from 'pino'
import type { Services } from '../context.ts'
import type { Authenticator } from '../identity.ts'
import { addOpenApi } from '../http/openapi.ts'
import { createHttpServer } from '../http/server.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { readConfig } from './config.ts'
import { createLimits } from './limits.ts'
import { addRoutes } from './routes.ts'
import { version } from '../version.ts'

/**
 * The OpenAPI document of this build, for the SDK's generator. Routes are declared but never
 * called, so neither database nor network is needed.
 */
export async function openApiDocument(): Promise<Record<string, unknown>> {
  const app = await createHttpServer({
    services: {
      log: pino({ level: 'silent' }, new PassThrough()),
      limits: createLimits(readConfig({})),
    } as Services,
    authenticator: {} as Authenticator,
    metrics: {} as Metrics,
  })
  try {
    await addOpenApi(app, version, { docs: false, publicUrl: () => 'http://127.0.0.1:3000' })
    await addRoutes(app)
    await app.ready()
    return app.swagger() as unknown as Record<string, unknown>
  } finally {
    await app.close()
  }
}
