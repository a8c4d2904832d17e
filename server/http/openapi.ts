import swagger from '@fastify/swagger'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'

const description = `Agent workflow service: durable runs of language-model crews.

Success is \`{"data": …}\`, failure is \`{"error": {"type", "code", "message", "param", "request_id"}}\`.
Lists take \`limit\` and \`after\`; the next page is in the \`Link\` header. Every POST takes an
\`Idempotency-Key\`. Clients must ignore fields and event types that they do not know.`

/** `/openapi.json`, made from the schemas that validate, and `/docs`, which asks no outside host. */
export async function addOpenApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Muster', version, description, license: { name: 'MIT', identifier: 'MIT' } },
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `mst_…`.' },
        },
      },
      security: [{ apiKey: [] }],
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `def-${index}`,
    },
  })

  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())

  await app.register(async (docs) => {
    docs.addHook('onSend', async (_request, reply) => {
      reply.header(
        'content-security-policy',
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; " +
          "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:",
      )
    })
    await docs.register(scalar, {
      routePrefix: '/docs',
      logLevel: 'silent',
      configuration: {
        url: '/openapi.json',
        // What would ask, or lead to, services of the viewer's makers.
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        agent: { disabled: true },
        mcp: { disabled: true },
        defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
      },
    })
  })
}
