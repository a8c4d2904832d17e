import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { DomainError } from '../errors.ts'
import { redirect } from '../http/answer.ts'
import { readError } from '../http/errors.ts'
import { operation, type Operation } from '../http/operation.ts'
import { StringEnum } from '../http/schema.ts'
import { setOidcCookie, takeOidcCookie } from '../http/session-cookie.ts'
import { browserOf, keepSignedIn } from './admit.ts'
import { flowSeconds, safeReturnTo, type OidcClient } from './oidc.ts'
import { signInByOidc, SignInRefused } from './sign-in-oidc.ts'

/**
 * Pages that a browser visits to sign in at the provider and on its way back. A person reads what they answer, so
 * every failure, also of the rate limit or the database, leads back to the sign-in page with its code.
 */
const forBrowsers = {
  errorHandler: (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const { return_to: returnTo } = request.query as { return_to?: string }
    leadBack(error, request, reply, safeReturnTo(returnTo))
  },
}

export const oidcOperations: Operation[] = [
  operation({
    id: 'session.oidc',
    route: 'GET /v1/session/oidc',
    role: 'anyone',
    action: 'sign in',
    summary: 'Sign in through OpenID Connect',
    description:
      'For browsers: goes to the provider, and from there back to `return_to`. A failure ends on the sign-in page, with its code.',
    query: {
      return_to: Type.Optional(
        Type.String({ maxLength: 2_000, description: 'A path of the console, `/` by default.' }),
      ),
      prompt: Type.Optional(
        StringEnum(['select_account'], {
          description: 'Lets the person choose another account of the provider.',
        }),
      ),
    },
    answer: redirect('To the provider.'),
    routeOptions: forBrowsers,
    verb: async ({ services, query, request, reply }) => {
      const asksWho = query.prompt !== undefined
      const begun = await clientOf(services).begin(safeReturnTo(query.return_to), { asksWho })
      const { publicUrl } = services
      setOidcCookie(request, reply, begun, { publicUrl, maxAge: flowSeconds })
      reply.redirect(begun.url, 303)
    },
  }),
  operation({
    id: 'session.oidc_callback',
    route: 'GET /v1/session/oidc/callback',
    role: 'anyone',
    action: 'sign in',
    summary: 'Come back from the provider',
    hasForeignQuery: true,
    description: 'For browsers: a sign-in that failed ends on the sign-in page, with its code.',
    query: Object.fromEntries(
      ['code', 'state', 'iss', 'session_state', 'error', 'error_description', 'error_uri'].map(
        (name) => [
          name,
          Type.Optional(Type.String({ maxLength: 8_000, description: 'As the provider sent it.' })),
        ],
      ),
    ),
    answer: redirect('To the console.'),
    routeOptions: forBrowsers,
    verb: async (call) => {
      const { services, request, reply, query } = call
      const oidc = clientOf(services)
      const cookie = takeOidcCookie(request, reply, String(query['state']))
      try {
        const search = new URL(request.url, services.publicUrl).search
        const { claims, returnTo } = await oidc.finish(search, cookie)
        const signedIn = await signInByOidc(
          services.database,
          oidc.settings,
          claims,
          browserOf(call),
        )
        keepSignedIn(call, signedIn)
        reply.redirect(returnTo, 303)
      } catch (error) {
        leadBack(error, request, reply, oidc.returnToOf(cookie))
      }
    },
  }),
]

function leadBack(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  returnTo: string,
): void {
  const known = readError(error, request)
  request.log.warn({ err: known }, known.message)
  const search = new URLSearchParams({
    error: known.code,
    ...(known instanceof SignInRefused ? { reason: known.reason } : {}),
    ...(returnTo === '/' ? {} : { return_to: returnTo }),
  })
  reply.redirect(`/sign-in?${search.toString()}`, 303)
}

function clientOf({ oidc }: { oidc: OidcClient | undefined }): OidcClient {
  if (oidc !== undefined) return oidc
  throw new DomainError(
    'identity_provider_unavailable',
    'Cannot sign in: no OpenID Connect provider is configured, see MUSTER_OIDC_ISSUER',
  )
}
