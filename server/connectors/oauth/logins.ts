import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { bySystem, recordAudit } from '../../audit/record.ts'
import type { Services } from '../../context.ts'
import type { Transaction } from '../../db/client.ts'
import type { SealedPlace, SecretBox } from '../../secret-box.ts'
import type { LoginRefusal } from '../mcp/refusals.ts'
import type { McpRow } from '../store.ts'
import { joinScopes } from './discover.ts'
import type { Party, Tokens } from './login-flow.ts'
import {
  deleteLoginsOf,
  endLogin,
  findLogin,
  hastenRefresh,
  loginId,
  saveDemand,
  type LoginRow,
  type NewTokens,
} from './login-store.ts'

/**
 * Logins at MCP servers by OAuth: of the account, or of each person where the connector has `credentials: "person"`. The
 * tokens are encrypted, and refreshed by one process before they expire (`refresh-work.ts`); nothing else refreshes one.
 * A login lives until its refresh is refused: then the connector, or the person, needs a login again. A call uses the
 * login of the account or of the person behind its run, never another one.
 */
export interface Login extends Party {
  tokens: Tokens
}

export function loginPlace(accountId: string, id: string): SealedPlace {
  return ['connector login', accountId, id]
}

export function registrationPlace(accountId: string, connectorId: string): SealedPlace {
  return ['connector registration', accountId, connectorId]
}

export function openLogin(
  secrets: SecretBox,
  accountId: string,
  { id, secret }: Pick<LoginRow, 'id' | 'secret'>,
): Login {
  return JSON.parse(secrets.open(secret, loginPlace(accountId, id)).toString()) as Login
}

/** A token is refreshed this long before it expires, or for the last third of a short life. */
const leadSeconds = 120
/** When a token without an expiry is refreshed, so that its refresh token is not forgotten. */
const dailySeconds = 86_400

/** The row of a login that has been made or refreshed. */
export function toTokens(
  secrets: SecretBox,
  accountId: string,
  id: string,
  login: Login,
): NewTokens {
  const { expires_in: expiresIn, refresh_token: refreshToken } = login.tokens
  const expiresInSeconds = expiresIn === undefined ? null : Math.max(0, expiresIn)
  const lifeSeconds = expiresInSeconds ?? dailySeconds
  const early = lifeSeconds - Math.min(leadSeconds, lifeSeconds / 3)
  return {
    secret: secrets.seal(Buffer.from(JSON.stringify(login)), loginPlace(accountId, id)),
    version: randomUUID(),
    expiresInSeconds,
    // One that cannot be refreshed ends when it expires.
    refreshInSeconds: refreshToken === undefined ? expiresInSeconds : early,
  }
}

type LoginServices = Pick<Services, 'database' | 'secrets' | 'publicUrl'>

/** The access token for a call; none if the server demands no login. */
export type Bearer = { bearer: string | undefined; row?: LoginRow } | { why: string }

/** Finds the token of the account, or of the person where each has their own. */
export async function findBearer(
  services: LoginServices,
  accountId: string,
  connector: McpRow,
  userId: string | null,
  signal?: AbortSignal,
): Promise<Bearer> {
  if (connector.oauth === null) return { bearer: undefined }
  const isPersons = connector.credentials === 'person'
  if (isPersons && userId === null) return { why: noPerson(services, connector) }
  const { database } = services
  let row = await findLogin(database, accountId, connector.id, isPersons ? userId : null)
  let isRenewed = false
  if (row !== undefined && isOver(row) && row.refresh_at !== null) {
    const { version } = row
    row = await awaitRefresh(services, accountId, row, signal)
    isRenewed = row !== undefined && row.version !== version
  }
  if (row === undefined || row.needs_login_since !== null) {
    return { why: noLogin(services, connector, row?.why) }
  }
  if (isOver(row) && !isRenewed)
    return { why: noLogin(services, connector, 'its login has expired') }
  return { bearer: openLogin(services.secrets, accountId, row).tokens.access_token, row }
}

/** Clocks of the service and the database may differ by this much. */
const marginMs = 1_000

function isOver({ expires_at: expiresAt }: LoginRow): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now() + marginMs
}

/** How long a call waits for a refresh that another process may have begun. */
const refreshWaitMs = 15_000
const pollMs = 200

/** Has a token refreshed now, and waits for it; undefined if it took too long. */
async function awaitRefresh(
  { database }: Pick<Services, 'database'>,
  accountId: string,
  row: LoginRow,
  signal?: AbortSignal,
): Promise<LoginRow | undefined> {
  await hastenRefresh(database, accountId, row)
  const endsAt = performance.now() + refreshWaitMs
  const isEnded = () => performance.now() >= endsAt || signal?.aborted === true
  while (!isEnded()) {
    const now = await findLogin(database, accountId, row.connector_id, row.user_id)
    if (now?.version !== row.version || now.needs_login_since !== null) return now
    await setTimeout(pollMs)
  }
  return row
}

/**
 * Handles a server that refused a login: a new token, if a refresh gives one; otherwise why the call failed, after the
 * login has been ended.
 */
export async function answerRefusal(
  services: LoginServices & Pick<Services, 'log'>,
  accountId: string,
  connector: McpRow,
  {
    refusal,
    row,
    signal,
  }: { refusal: LoginRefusal; row: LoginRow | undefined; signal?: AbortSignal },
): Promise<Bearer> {
  const { scope, resourceMetadataUrl } = refusal
  const before = row && openLogin(services.secrets, accountId, row).authority.scope
  const demand = {
    scope: joinScopes(connector.oauth?.scope, refusal.status === 403 ? before : undefined, scope),
    resource_metadata_url: resourceMetadataUrl ?? connector.oauth?.resource_metadata_url,
  }
  if (row === undefined) {
    await saveDemand(services.database, accountId, connector, demand)
    return { why: noLogin(services, connector, 'it demands a login') }
  }
  if (refusal.status === 401 && row.refresh_at !== null) {
    const renewed = await awaitRefresh(services, accountId, row, signal)
    if (
      renewed !== undefined &&
      renewed.version !== row.version &&
      renewed.needs_login_since === null
    ) {
      const { access_token: bearer } = openLogin(services.secrets, accountId, renewed).tokens
      return { bearer, row: renewed }
    }
    // The refresh is late, or has ended the login itself.
    return { why: noLogin(services, connector, renewed?.why ?? 'its login could not be refreshed') }
  }
  if (refusal.status === 403) await saveDemand(services.database, accountId, connector, demand)
  const why =
    refusal.status === 403
      ? `its login may not do this, it demands the scopes ${demand.scope ?? 'of another login'}`
      : 'it does not accept the login any more'
  await loseLogin(services, accountId, row, why)
  return { why: noLogin(services, connector, why) }
}

/** Deletes the logins of a person who leaves the account. */
export function forgetLogins(
  transaction: Transaction,
  accountId: string,
  userId: string,
): Promise<void> {
  return deleteLoginsOf(transaction, accountId, userId)
}

/** Ends a login, with an audit entry. */
export async function loseLogin(
  { database }: Pick<Services, 'database'>,
  accountId: string,
  row: Pick<LoginRow, 'id' | 'version' | 'connector_id' | 'user_id'>,
  why: string,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    if (!(await endLogin(transaction, accountId, row, why))) return
    const audit = bySystem('logins', 'connector.login_ended')
    const objectId = row.connector_id
    await recordAudit(transaction, { accountId, audit }, { objectId, after: toAudited(row, why) })
  })
}

function toAudited({ user_id }: Pick<LoginRow, 'user_id'>, why: string): object {
  return { user_id, why }
}

function noPerson({ publicUrl }: Pick<Services, 'publicUrl'>, { id }: McpRow): string {
  return (
    `Cannot use ${id}: each person uses it with their own login, and no person triggered this run; ` +
    `log in at ${loginPage(publicUrl, id)} and trigger it yourself`
  )
}

function noLogin(
  { publicUrl }: Pick<Services, 'publicUrl'>,
  { id, credentials }: McpRow,
  why: string | null | undefined,
): string {
  const who = credentials === 'person' ? 'the person who triggered this run' : 'an admin'
  const reason = why == null ? '' : ` (${why})`
  return `Cannot use ${id}: ${who} must log in at ${loginPage(publicUrl, id)}${reason}`
}

/** Where people log in at a connector. */
export function loginPage(publicUrl: string, id: string): string {
  return `${publicUrl}/connectors#${loginId(id, null)}`
}
