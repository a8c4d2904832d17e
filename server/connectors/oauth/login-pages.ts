import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Services } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { statusOf } from '../../http/errors.ts'
import { noticeHeaders, toNotice } from '../../http/notice-page.ts'
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
    reply.headers(noticeHeaders)
    try {
      const returnTo = await finishAuthorization(services, request)
      return reply.redirect(returnTo, 303)
    } catch (error) {
      return refusePage(error, reply, services.publicUrl)
    }
  })
}

function refusePage(error: unknown, reply: FastifyReply, publicUrl: string): string {
  if (!(error instanceof DomainError)) throw error
  reply.status(statusOf(error)).type('text/html; charset=utf-8')
  const link = { url: `${publicUrl}/connectors`, label: 'Open connectors' }
  return toNotice({ title: 'The login failed', text: error.message, link })
}
