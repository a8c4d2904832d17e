import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { completeDocument, type Documented, type OpenApiDocument } from './document.ts'
import { prepareStored, storeFile, type StoredFile } from './traffic/stored-file.ts'

const description = `Agent workflow service: durable runs of language-model crews.

Success is \`{"data": …}\`, failure is \`{"error": {"type", "code", "message", "param", "request_id"}}\`.
Lists take \`limit\` and \`after\`; the next page is in the \`Link\` header. Every POST takes an
\`Idempotency-Key\`. Clients must ignore fields and event types that they do not know.`

/**
 * `/openapi.json`, generated from the schemas that validate, and `/docs`, which loads nothing from
 * other hosts. Both are public, so each is generated and compressed once.
 */
export async function addOpenApi(
  app: FastifyInstance,
  version: string,
  { docs = true, publicUrl }: { docs?: boolean; publicUrl: () => string },
): Promise<void> {
  const documented: Documented[] = []
  app.addHook('onRoute', ({ config }) => {
    if (config?.documented !== undefined) documented.push(config.documented)
  })
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
    transformObject: (made) => {
      const { openapiObject } = made as { openapiObject: OpenApiDocument }
      const servers = [{ url: publicUrl(), description: 'This service.' }]
      return completeDocument({ ...openapiObject, servers }, documented)
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `def-${index}`,
    },
  })

  let document: Promise<StoredFile> | undefined
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    document ??= storeFile('application/json; charset=utf-8', JSON.stringify(app.swagger()))
    reply.header('cache-control', 'no-cache')
    return reply.send(prepareStored(request, reply, await document))
  })
  if (docs) await addReference(app)
}

/**
 * The viewer's validator tries whether it may compile functions, which the policy forbids, and
 * browsers report that. This setting of it leaves the try out.
 */
const withoutEval = '<script>globalThis.__zod_globalConfig = { jitless: true }</script>'

async function addReference(app: FastifyInstance): Promise<void> {
  // Loaded only for this page, because it takes four megabytes.
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const pages = new Map<string, Promise<StoredFile>>()
  await app.register(async (docs) => {
    docs.addHook('onSend', async (request, reply, payload) => {
      reply.headers({ 'cache-control': 'no-cache', 'x-frame-options': 'DENY' })
      reply.header(
        'content-security-policy',
        "default-src 'self'; script-src 'self' 'unsafe-inline'; " +
          "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
          "frame-ancestors 'none'",
      )
      const { url } = request.routeOptions
      if (typeof payload !== 'string' || reply.statusCode !== 200 || url === undefined)
        return payload
      const type = String(reply.getHeader('content-type'))
      const page = await pages.getOrInsertComputed(url, () =>
        storeFile(type, payload.replace('<head>', `<head>${withoutEval}`)),
      )
      return prepareStored(request, reply, page)
    })
    await docs.register(scalar, {
      routePrefix: '/docs',
      logLevel: 'silent',
      configuration: {
        url: '/openapi.json',
        pageTitle: 'Muster API',
        favicon: '/icon.svg',
        // Relative, so that it works under any host name.
        servers: [{ url: '/', description: 'This service.' }],
        // Features that would contact or link to the vendor of the viewer.
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
