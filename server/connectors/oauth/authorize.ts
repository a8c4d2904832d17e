import { refuseEnded } from '../../accounts/authenticate.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { cannot } from '../../errors.ts'
import { allows } from '../../identity.ts'
import { safeReturnTo } from '../../people/oidc/client.ts'
import { hideSecrets, openServer, serverSecrets } from '../secret.ts'
import { connectors, type McpRow } from '../store.ts'
import { notConnected } from '../try-connector.ts'
import { chooseClient } from './choose-client.ts'
import { discoverAuthority } from './discover.ts'
import { beginLogin, type Party } from './login-flow.ts'
import { registrationPlace } from './logins.ts'
import { saveRegistration } from './login-store.ts'
import { LoginError } from './oauth-error.ts'
import { createOAuthFetch } from './oauth-fetch.ts'
import type { AuthorizeConnector, Authorization } from './schema.ts'

/** What a login that has begun is about; it travels encrypted in `state`, so that any process can finish it. */
export interface Flow {
  accountId: string
  connectorId: string
  userId: string
  sessionId: string
  verifier: string
  issuer: string
  clientId: string
  returnTo: string
  expiresAt: number
}

export const flowPlace = ['connector login flow'] as const
const flowMs = 600_000

/** Begins a login at an MCP server: the address that the person's browser opens. */
export async function authorizeConnector(
  ctx: Context,
  id: string,
  { return_to: returnTo }: AuthorizeConnector,
): Promise<Authorization> {
  const { actor, accountId, outbound, secrets, publicUrl } = ctx
  const row = await connectors.find(ctx.database, accountId, { id })
  if (row === undefined) throw notConnected(ctx, id)
  if (actor.type !== 'user') {
    const why = `a login needs a person in a browser, log in at ${publicUrl}/connectors#${id}`
    throw cannot(ctx, 'user_required', why)
  }
  if (row.kind !== 'mcp' || row.oauth === null) {
    throw cannot(ctx, 'invalid_value', `${id} demands no login`, { param: 'id' })
  }
  if (row.credentials !== 'person' && !allows(ctx.role, 'admin')) {
    throw cannot(ctx, 'role_required', `the login of the account at ${id} is made by an admin`)
  }
  const server = openServer(secrets, accountId, row)
  try {
    using _slot = await ctx.limits.mcpToolLists.take(accountId, ctx.action)
    const fetch = createOAuthFetch(outbound, accountId)
    const authority = await discoverAuthority(fetch, server.url, row.oauth ?? {})
    const client = await chooseClient(fetch, authority, {
      given: server.client,
      known: openRegistration(ctx, row)?.client,
      redirectUri: callbackUrl(publicUrl),
      documentUrl: documentUrl(publicUrl),
    })
    const expiresAt = Date.now() + flowMs
    const url = await beginLogin(outbound, { authority, client }, (verifier) => {
      const flow: Flow = {
        accountId,
        connectorId: id,
        userId: actor.id,
        sessionId: actor.sessionId,
        verifier,
        issuer: authority.issuer,
        clientId: client.client_id,
        returnTo: shortReturnTo(returnTo),
        expiresAt,
      }
      return secrets.seal(Buffer.from(JSON.stringify(flow)), flowPlace).toString('base64url')
    })
    await refuseEnded(ctx.database, ctx)
    const sealed = secrets.seal(
      Buffer.from(JSON.stringify({ authority, client })),
      registrationPlace(accountId, id),
    )
    if (!(await saveRegistration(ctx.database, accountId, row, sealed))) {
      throw cannot(ctx, 'connector_changed', 'it was changed in the meantime, try again')
    }
    const { issuer } = authority
    await recordAudit(ctx.database, ctx, { objectId: id, after: { issuer, client: client.source } })
    return { authorize_url: url, expires_at: new Date(expiresAt) }
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    const why = hideSecrets(error.message, serverSecrets(server))
    throw cannot(ctx, 'connector_refused', why, { cause: error })
  }
}

/** The authorization server and the client of the last login that was begun. */
export function openRegistration(
  { secrets, accountId }: Pick<Context, 'secrets' | 'accountId'>,
  { id, registration }: Pick<McpRow, 'id' | 'registration'>,
): Party | undefined {
  if (registration === null) return undefined
  try {
    const place = registrationPlace(accountId, id)
    return JSON.parse(secrets.open(registration, place).toString()) as Party
  } catch {
    // Sealed with a key that is gone: Muster registers again.
    return undefined
  }
}

export function callbackUrl(publicUrl: string): string {
  return `${publicUrl}/oauth/callback`
}

export function documentUrl(publicUrl: string): string {
  return `${publicUrl}/oauth/client.json`
}

/** Addresses of authorization servers have limits, and `state` is a part of them. */
const maxReturnTo = 300

function shortReturnTo(text = '/connectors'): string {
  const path = safeReturnTo(text)
  return path.length > maxReturnTo ? '/connectors' : path
}
