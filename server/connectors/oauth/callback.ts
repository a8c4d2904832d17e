import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { refuseEnded } from '../../accounts/authenticate.ts'
import { countAttempts } from '../../db/attempts.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Services } from '../../context.ts'
import { cannot, DomainError } from '../../errors.ts'
import { sessionCookie } from '../../http/session-cookie.ts'
import { allows, type Identity } from '../../identity.ts'
import { newId } from '../../ids.ts'
import { hideSecrets } from '../secret.ts'
import { connectors, type McpRow } from '../store.ts'
import { flowPlace, openRegistration, type Flow } from './authorize.ts'
import { finishLogin, type Tokens } from './login-flow.ts'
import { toTokens, type Login } from './logins.ts'
import { loginId, noteLoggedIn, saveLogin } from './login-store.ts'
import { LoginError } from './oauth-error.ts'
import { createOAuthFetch } from './oauth-fetch.ts'
import { readFirstTools } from './read-first-tools.ts'

const asked = { action: 'log in' }

/**
 * Finishes a login with the code that an authorization server sent by the browser. It counts only in the browser session
 * that began it, once. Returns the console path to go on to.
 */
export async function finishAuthorization(
  services: Services,
  request: FastifyRequest,
): Promise<string> {
  const { database, outbound } = services
  const { searchParams } = new URL(request.url, services.publicUrl)
  const state = searchParams.get('state') ?? ''
  const flow = openFlow(services, state)
  const identity = await identify(request, flow)
  const { accountId, connectorId, userId, returnTo } = flow
  const row = await connectors.find(database, accountId, { id: connectorId })
  const party = row?.kind === 'mcp' ? openRegistration({ ...services, accountId }, row) : undefined
  const isSame = party?.authority.issuer === flow.issuer && party.client.client_id === flow.clientId
  if (row?.kind !== 'mcp' || party === undefined || !isSame) throw changed()
  refuseRole(identity, row)
  await refuseReplay(services, state)
  let tokens: Tokens
  try {
    const fetch = createOAuthFetch(outbound, accountId)
    tokens = await finishLogin(fetch, party, searchParams, flow.verifier)
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    const { client_secret: secret = '' } = party.client
    const why = hideSecrets(error.message, { secret, code: searchParams.get('code') ?? '' })
    throw cannot(asked, 'connector_refused', why, { cause: error })
  }
  const owner = row.credentials === 'person' ? userId : null
  const login = { ...party, tokens }
  const version = await store(services, request, { identity, row, owner, login })
  if (row.tools.length === 0) {
    const bearer = tokens.access_token
    await readFirstTools(services, accountId, { ...row, version }, bearer)
  }
  return returnTo
}

function openFlow({ secrets }: Pick<Services, 'secrets'>, state: string): Flow {
  try {
    const flow = JSON.parse(
      secrets.open(Buffer.from(state, 'base64url'), flowPlace).toString(),
    ) as Flow
    if (flow.expiresAt > Date.now()) return flow
  } catch {
    // The error is thrown below.
  }
  throw cannot(
    asked,
    'invalid_link',
    'this login was not begun here in the last ten minutes, begin again',
  )
}

/** The person who began the login, in the same session. */
async function identify(request: FastifyRequest, flow: Flow): Promise<Identity> {
  const session = request.cookies[sessionCookie]
  const identity = await request.server.authenticator
    .identify({ authorization: undefined, session })
    .catch((error: unknown) => {
      if (error instanceof DomainError && error.type === 'unauthenticated') return undefined
      throw error
    })
  const isSame =
    identity?.actor.type === 'user' &&
    identity.actor.sessionId === flow.sessionId &&
    identity.actor.id === flow.userId &&
    identity.accountId === flow.accountId
  if (identity !== undefined && isSame && !identity.account.isSuspended) return identity
  throw cannot(
    asked,
    'sign_in_required',
    'the login counts only in the browser session that asked for it, begin it again in this browser',
  )
}

function refuseRole({ role }: Identity, { id, credentials }: McpRow): void {
  if (credentials === 'person' || allows(role, 'admin')) return
  throw cannot(asked, 'role_required', `the login of the account at ${id} is made by an admin`)
}

/** A callback is used once, in whichever process: a second use of its code would end the login. */
async function refuseReplay(
  { database }: Pick<Services, 'database'>,
  state: string,
): Promise<void> {
  const [used] = await countAttempts(database, [`connector login ${state}`], 600)
  if (used === undefined || used.attempts === 1) return
  throw cannot(asked, 'invalid_link', 'this login has been used already, begin again')
}

interface Made {
  identity: Identity
  row: McpRow
  /** The person; null for the login of the account. */
  owner: string | null
  login: Login
}

/** Stores the login; returns the connector's version from now on. */
async function store(
  { database, secrets }: Services,
  { ip, id: requestId }: FastifyRequest,
  { identity, row, owner, login }: Made,
): Promise<string> {
  const { accountId, actor } = identity
  const isAccounts = owner === null
  const version = isAccounts ? randomUUID() : row.version
  const sealed = toTokens(secrets, accountId, loginId(row.id, owner), login)
  await database.transaction().execute(async (transaction) => {
    await refuseEnded(transaction, { ...identity, ...asked })
    const now = await connectors.find(transaction, accountId, { id: row.id }, 'for update')
    if (now?.version !== row.version) throw changed()
    await saveLogin(transaction, accountId, { connectorId: row.id, userId: owner }, sealed)
    await noteLoggedIn(transaction, accountId, row.id, { version, isAccounts })
    const action = 'connector.logged_in' as const
    const audit = { id: newId('aud'), actor, action, address: ip, requestId }
    const after = { user_id: owner, issuer: login.authority.issuer }
    await recordAudit(transaction, { accountId, audit }, { objectId: row.id, after })
  })
  return version
}

function changed(): DomainError {
  const why = 'the connector was changed or disconnected in the meantime, begin again'
  return cannot(asked, 'connector_changed', why)
}
