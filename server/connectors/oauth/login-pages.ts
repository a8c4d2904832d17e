import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Services } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { statusOf } from '../../http/errors.ts'
import { callbackUrl, documentUrl } from './authorize.ts'
import { finishAuthorization } from './callback.ts'
import { clientDocument } from './choose-client.ts'

/**
 * The two addresses that authorization servers know: Muster's client metadata document, which they read, and the page to
 * which they send the browser after a login.
 */
export function addLoginPages(app: FastifyInstance, services: Services): void {
  const common = { config: { isLimitedByAddress: true }, schema: { hide: true } }

  app.get('/oauth/client.json', common, async (_request, reply) => {
    const { publicUrl } = services
    reply.header('cache-control', 'public, max-age=300')
    return {
      client_id: documentUrl(publicUrl),
      ...clientDocument(callbackUrl(publicUrl)),
      token_endpoint_auth_method: 'none',
    }
  })

  app.get('/oauth/callback', common, async (request, reply) => {
    reply.headers(pageHeaders)
    try {
      const returnTo = await finishAuthorization(services, request)
      return reply.redirect(returnTo, 303)
    } catch (error) {
      return refusePage(error, reply, services.publicUrl)
    }
  })
}

const pageHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

function refusePage(error: unknown, reply: FastifyReply, publicUrl: string): string {
  if (!(error instanceof DomainError)) throw error
  reply.status(statusOf(error)).type('text/html; charset=utf-8')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>The login failed</title></head>
<body><h1>The login failed</h1>
<p>${escape(error.message)}</p>
<p><a href="${escape(publicUrl)}/connectors">Open connectors</a></p></body></html>`
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
