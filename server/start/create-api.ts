import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { createAuthenticator } from '../accounts/authenticate.ts'
import type { Config } from './config.ts'
import type { Services } from '../context.ts'
import { isLoopback } from '../outbound/address.ts'
import { addAnswerPages } from '../sends/channels/answer-routes.ts'
import { addSlackClicks } from '../sends/channels/slack-clicks.ts'
import { addLoginPages } from '../connectors/oauth/login-pages.ts'
import { addAuthorizationServer } from '../oauth-server/authorization-pages.ts'
import { createTokenLookup } from '../oauth-server/identify-token.ts'
import { addConsole } from '../http/console.ts'
import { addHealth } from '../http/health.ts'
import { addIdempotency } from '../http/idempotency.ts'
import { addMetrics } from '../http/metrics.ts'
import { addOpenApi } from '../http/openapi.ts'
import { createHttpServer } from '../http/server.ts'
import { addTracing } from '../http/tracing.ts'
import { addMcpServer } from '../mcp-server/route.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { addRoutes } from './routes.ts'
import { version } from '../version.ts'
import { addHookAddresses } from '../sources/hooks/receive.ts'

/** The complete HTTP server, ready to listen. */
export async function createApi(
  config: Config,
  services: Services,
  metrics: Metrics,
): Promise<FastifyInstance> {
  const { database, secrets } = services
  const authenticator = createAuthenticator(database, config.operatorKey)
  const app = await createHttpServer({
    services,
    metrics,
    authenticator,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
  })
  if (config.otlpEndpoint !== undefined) addTracing(app)
  addIdempotency(app, { database, secrets, leaseMs: config.leaseMs })
  await addOpenApi(app, version, {
    docs: config.docs,
    publicUrl: () => services.publicUrl,
  })
  addHealth(app, services)
  if (config.metricsPort === undefined) {
    addMetrics(app, metrics, isLoopback(config.host) ? undefined : authenticator)
  }
  await addRoutes(app)
  addAnswerPages(app, services)
  addSlackClicks(app, services)
  addLoginPages(app, services)
  addAuthorizationServer(app, services)
  const lookUpToken = createTokenLookup(services)
  addMcpServer(app, { services, corsOrigins: config.corsOrigins, lookUpToken })
  addHookAddresses(app, services, config.intervals.hookBodyMs)
  await addConsole(app, fileURLToPath(new URL('.', import.meta.resolve('#console/index.html'))))
  await app.ready()
  return app
}
