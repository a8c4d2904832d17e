import Type from 'typebox'
import { DomainError } from '../errors.ts'
import { redirect } from '../http/answer.ts'
import { operation, type Operation } from '../http/operation.ts'
import { setOidcCookie, takeOidcCookie } from '../http/session-cookie.ts'
import { browserOf, keepSignedIn } from './admit.ts'
import { flowSeconds, safeReturnTo, type OidcClient } from './oidc.ts'
import { signInByOidc } from './sign-in-oidc.ts'

/** What a browser visits to sign in at the provider and on its way back. */
export const oidcOperations: Operation[] = [
  operation({
    id: 'session.oidc',
    route: 'GET /v1/session/oidc',
    role: 'anyone',
    action: 'sign in',
    summary: 'Sign in through OpenID Connect',
    description: 'For browsers: goes to the provider, and from there back to `return_to`.',
    query: {
      return_to: Type.Optional(
        Type.String({ maxLength: 2_000, description: 'A path of the console, `/` by default.' }),
      ),
    },
    answer: redirect('To the provider.'),
    verb: async ({ services, query, reply }) => {
      const { url, cookie } = await clientOf(services).begin(safeReturnTo(query.return_to))
      setOidcCookie(reply, cookie, { publicUrl: services.publicUrl, maxAge: flowSeconds })
      reply.redirect(url, 303)
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
          Type.Optional(Type.String({ maxLength: 2_000, description: 'As the provider sent it.' })),
        ],
      ),
    ),
    answer: redirect('To the console.'),
    verb: async (call) => {
      const { services, request, reply } = call
      const oidc = clientOf(services)
      const cookie = takeOidcCookie(request, reply)
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
        if (!(error instanceof DomainError)) throw error
        request.log.warn({ err: error }, 'sign-in refused')
        reply.redirect(`/sign-in?error=${error.code}`, 303)
      }
    },
  }),
]

function clientOf({ oidc }: { oidc: OidcClient | undefined }): OidcClient {
  if (oidc !== undefined) return oidc
  throw new DomainError(
    'identity_provider_unavailable',
    'Cannot sign in: no OpenID Connect provider is configured, see MUSTER_OIDC_ISSUER',
  )
}
