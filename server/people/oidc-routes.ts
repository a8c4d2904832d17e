import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { DomainError } from '../errors.ts'
import type { Services } from '../context.ts'
import { ok, redirect } from '../http/answer-shapes.ts'
import { readError } from '../http/errors.ts'
import { operation, type Operation, type Resource } from '../http/operation.ts'
import { StringEnum } from '../wire-types.ts'
import { setOidcCookie, takeOidcCookie } from '../http/session-cookie.ts'
import { browserOf, keepSignedIn } from './admit.ts'
import { countAttempts } from '../db/attempts.ts'
import { flowSeconds, safeReturnTo, type OidcClient } from './oidc/client.ts'
import { endSessionsAtProvider } from './oidc-logout.ts'
import * as schema from './schema.ts'
import { signInByOidc, SignInRefused } from './sign-in-oidc.ts'

/** The server refuses headers, and with them addresses, of more than 16 KB. */
const longestAddress = 15_000

const formType = 'application/x-www-form-urlencoded'

/**
 * Routes that a browser visits to sign in at the provider, and on its way back. People see these
 * responses, so every error, including rate limits and database errors, redirects to the sign-in
 * page with its code.
 */
const forBrowsers = {
  errorHandler: (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const { return_to: returnTo } = request.query as { return_to?: string }
    leadBack(error, request, reply, safeReturnTo(returnTo))
  },
}

const operations: Operation[] = [
  operation({
    id: 'session.oidc',
    route: 'GET /v1/session/oidc',
    role: 'anyone',
    action: 'sign in',
    summary: 'Sign in through OpenID Connect',
    description:
      'For browsers: redirects to the provider, and from there back to `return_to`. A failure ends on the ' +
      'sign-in page, with its code.',
    query: {
      return_to: Type.Optional(
        Type.String({
          maxLength: longestAddress,
          description: 'A console path of up to 2,000 characters; any other value becomes `/`.',
        }),
      ),
      prompt: Type.Optional(
        StringEnum(['select_account'], {
          description: 'Lets the person choose another account at the provider.',
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
    summary: 'Return from the provider',
    hasForeignQuery: true,
    description:
      'For browsers, after signing in or out at the provider. A failed sign-in ends on the sign-in page, with ' +
      'its code.',
    query: Object.fromEntries(
      ['code', 'state', 'iss', 'session_state', 'error', 'error_description', 'error_uri'].map(
        (name) => [
          name,
          Type.Optional(
            Type.String({ maxLength: longestAddress, description: 'As the provider sent it.' }),
          ),
        ],
      ),
    ),
    answer: redirect('To the console.'),
    routeOptions: forBrowsers,
    verb: async (call) => {
      const { services, request, reply, query } = call
      const oidc = clientOf(services)
      if (query['code'] === undefined && query['error'] === undefined) {
        reply.redirect('/sign-in', 303)
        return
      }
      const state = String(query['state'])
      const cookie = takeOidcCookie(request, reply, state)
      try {
        if (cookie !== undefined) await refuseReplay(services.database, state)
        const search = new URL(request.url, services.publicUrl).search
        const { claims, returnTo, idToken, sid } = await oidc.finish(search, cookie)
        const { database } = services
        const signedIn = await signInByOidc(database, oidc.settings, claims, browserOf(call), sid)
        keepSignedIn(call, signedIn, idToken)
        reply.redirect(returnTo, 303)
      } catch (error) {
        leadBack(error, request, reply, oidc.returnToOf(cookie))
      }
    },
  }),
  operation({
    id: 'session.oidc_logout',
    route: 'POST /v1/session/oidc/logout',
    role: 'anyone',
    audit: 'session.deleted',
    action: 'sign out',
    summary: 'Receive back-channel logouts from the provider',
    description: 'For the OpenID Connect provider: ends the sessions named by the logout token.',
    body: schema.LogoutToken,
    bodyType: formType,
    answer: ok(schema.EndedSessions, 'The sessions have ended.'),
    verb: async (call) => {
      const { services, body } = call
      const who = await clientOf(services).readLogout(body.logout_token)
      return { ended: await endSessionsAtProvider(services.database, who, browserOf(call)) }
    },
  }),
]

/** A callback is used once, in whichever process: its address may be in a history, and its cookie in a copy of it. */
async function refuseReplay(database: Services['database'], state: string): Promise<void> {
  const [used] = await countAttempts(database, [`sign-in flow ${state}`], flowSeconds)
  if (used === undefined || used.attempts === 1) return
  const why = 'this sign-in has been used already, start again'
  throw new DomainError('sign_in_failed', `Cannot sign in: ${why}`)
}

/**
 * Separate from the other routes, none of which accepts a form, because any website could submit
 * one.
 */
export const oidc: Resource = {
  tag: 'People',
  schemas: {},
  setUp: (app) => {
    app.addContentTypeParser(
      formType,
      { parseAs: 'string' },
      async (_request: unknown, text: string) => Object.fromEntries(new URLSearchParams(text)),
    )
  },
  operations,
}

/** For a session that began at the provider. An unavailable provider must not prevent sign-out. */
export async function endSessionUrl(
  { oidc, log }: Pick<Services, 'oidc' | 'log'>,
  idToken: string | undefined,
): Promise<string | null> {
  if (oidc === undefined || idToken === undefined) return null
  const url = await oidc.endSessionUrl(idToken).catch((error: unknown) => {
    log.warn({ err: error }, 'the session at the provider goes on')
  })
  return url ?? null
}

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
