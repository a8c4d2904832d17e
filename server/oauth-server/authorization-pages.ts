import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../context.ts'
import { noticeHeaders, toNotice } from '../http/notice-page.ts'
import { readAuthorizationRequest, sealRequest } from './authorization-request.ts'
import { ClientDocuments } from './client-documents.ts'
import { registerClient } from './clients.ts'
import { resourceMetadata, serverMetadata } from './metadata.ts'
import { OAuthError } from './oauth-error.ts'
import { issueTokens, revokeToken } from './tokens.ts'

/**
 * Muster's OAuth authorization server, with which programs get access to `/mcp` in the name of a person: code flow with
 * PKCE, clients without secrets. A program finds the two metadata documents, sends the person's browser to
 * `/oauth/authorize`, which checks the request and leads to the console's consent page, and exchanges the code that
 * comes back. A browser is sent to a client's address only when a person has decided; until then every error is a page.
 */
export function addAuthorizationServer(app: FastifyInstance, services: Services): void {
  const documents = new ClientDocuments(services.outbound, services.limits.clientDocuments)
  const common = { config: { isLimitedByAddress: true }, schema: { hide: true } }

  const resource = '/.well-known/oauth-protected-resource'
  for (const path of [resource, `${resource}/mcp`]) {
    app.get(path, common, async () => resourceMetadata(services.publicUrl))
  }
  app.get('/.well-known/oauth-authorization-server', common, async () =>
    serverMetadata(services.publicUrl),
  )

  app.get('/oauth/authorize', common, async (request, reply) => {
    reply.headers(noticeHeaders)
    try {
      const query = new URL(request.url, services.publicUrl).searchParams
      const asked = await readAuthorizationRequest(services, documents, query)
      const sealed = sealRequest(services.secrets, asked)
      return reply.redirect(`/authorize?request=${sealed}`, 303)
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      reply.status(400).type('text/html; charset=utf-8')
      return toNotice({
        title: 'A program asked for access in a way that does not work',
        text: `Nothing was given. What is wrong (${error.code}): ${error.message}.`,
        link: { url: services.publicUrl, label: 'Open Muster' },
      })
    }
  })

  app.post('/oauth/register', { ...common, bodyLimit: maxBodyBytes }, async (request, reply) =>
    answer(reply, 201, () => registerClient(services.database, request.ip, request.body)),
  )

  void app.register(async (plugin) => {
    plugin.removeAllContentTypeParsers()
    plugin.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
    )
    const form = { ...common, bodyLimit: maxBodyBytes }
    plugin.post('/oauth/token', form, async (request, reply) =>
      answer(reply, 200, () => issueTokens(services, readForm(request))),
    )
    plugin.post('/oauth/revoke', form, async (request, reply) =>
      answer(reply, 200, async () => {
        await revokeToken(services, readForm(request))
        return {}
      }),
    )
  })
}

const maxBodyBytes = 32 * 1024

function readForm({ body, headers }: FastifyRequest): URLSearchParams {
  if (headers.authorization !== undefined) {
    throw new OAuthError(
      'invalid_client',
      'clients have no secret here, send client_id in the body, without the header Authorization',
    )
  }
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}

async function answer(
  reply: FastifyReply,
  status: number,
  make: () => Promise<object>,
): Promise<object> {
  reply.header('cache-control', 'no-store')
  try {
    const made = await make()
    reply.status(status)
    return made
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const { code, message, retryAfterSeconds: seconds } = error
    if (seconds !== undefined) reply.header('retry-after', seconds)
    reply.status(seconds === undefined ? 400 : 429)
    return { error: code, error_description: message }
  }
}
