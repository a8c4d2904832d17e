import { refuseEnded } from '../accounts/authenticate.ts'
import { hashToken } from '../accounts/credentials.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { cannot, notFound } from '../errors.ts'
import { personOf } from '../identity.ts'
import { answerTo, openRequest } from './authorization-request.ts'
import { makeCode } from './credentials.ts'
import { isLocal, shownHost } from './redirect-uri.ts'
import type { CreateGrant, CreatedGrant, Grant, GrantRequest } from './schema.ts'
import * as store from './store.ts'

/** What the consent page shows of a request. */
export function previewGrant(ctx: Context, sealed: string): GrantRequest {
  personOf(ctx, ctx.action)
  const request = openRequest(ctx.secrets, sealed, ctx.action)
  const { client, scopes } = request
  return {
    client: { id: client.id, name: client.name, host: client.host, kind: client.kind },
    redirect_host: shownHost(client.redirectUri),
    is_local: isLocal(client.redirectUri),
    scopes,
    expires_at: new Date(request.expiresAt),
    denial_url: answerTo(request, ctx.publicUrl, { error: 'access_denied' }),
  }
}

/** Gives a program access in the name of the person, in the account that the consent page named. */
export async function createGrant(
  ctx: Context,
  id: string,
  { request: sealed, account_id: accountId }: CreateGrant,
): Promise<CreatedGrant> {
  const { userId } = personOf(ctx, ctx.action)
  const request = openRequest(ctx.secrets, sealed, ctx.action)
  if (accountId !== ctx.accountId) {
    const why = 'the session has switched to another account meanwhile, look at the request again'
    throw cannot(ctx, 'invalid_value', why, { param: 'account_id' })
  }
  const { client, scopes, resource } = request
  const code = makeCode()
  await ctx.database.transaction().execute(async (transaction) => {
    await refuseEnded(transaction, ctx)
    if (client.kind === 'registered' && !(await store.keepClient(transaction, client.id))) {
      const why = 'the client has to register again, start again in the program'
      throw cannot(ctx, 'invalid_value', why, { param: 'request' })
    }
    await store.insertGrant(transaction, {
      id,
      accountId,
      userId,
      clientId: client.id,
      clientName: client.name,
      clientHost: client.host,
      redirectUri: client.redirectUri,
      resource,
      scopes,
      codeHash: hashToken(code),
      codeChallenge: request.challenge,
    })
    const { name, host } = client
    const after = { user_id: userId, client: { id: client.id, name, host }, scopes }
    await recordAudit(transaction, ctx, { objectId: id, after })
  })
  return { id, redirect_url: answerTo(request, ctx.publicUrl, { code }) }
}

/** The programs that act for the person in this account. */
export async function listGrants(ctx: Context): Promise<Grant[]> {
  const { userId } = personOf(ctx, ctx.action)
  const rows = await store.listGrants(ctx.reads, ctx.accountId, userId)
  return rows.map(({ clientName: name, clientHost: host, ...row }) => ({
    ...row,
    client: { name, host },
  }))
}

/** Ends the access of a program at once; API keys have no grants. */
export async function endGrant(ctx: Context, id: string): Promise<void> {
  const { accountId, actor } = ctx
  const userId = actor.type === 'user' ? actor.id : ''
  await ctx.database.transaction().execute(async (transaction) => {
    if (!(await store.deleteGrant(transaction, { accountId, id, userId }))) {
      throw notFound(ctx, 'grant', id)
    }
    await recordAudit(transaction, ctx, { objectId: id, before: { user_id: userId } })
  })
}
