import type { Services } from '../../context.ts'
import { logFailure } from '../../db/outage.ts'
import { DomainError } from '../../errors.ts'
import { done, type Tried } from '../../work/outcome.ts'
import { settleRows } from '../../work/table.ts'
import type { Work } from '../../work/worker.ts'
import { refreshTokens } from './login-flow.ts'
import { loseLogin, openLogin, toTokens, type Login } from './logins.ts'
import { refreshing, renewLogin, type DueLogin } from './login-store.ts'
import { LoginError } from './oauth-error.ts'
import { createOAuthFetch } from './oauth-fetch.ts'

type RefreshServices = Pick<Services, 'database' | 'secrets' | 'outbound' | 'log'>

/**
 * Refreshing logins as work: a claim gives each login to one process, because authorization servers take a refresh token
 * once and end a login whose token comes again. A refused refresh ends the login; one that could not be made is tried
 * again.
 */
export function refreshWork(services: RefreshServices, everyMs: number): Work<DueLogin> {
  return {
    what: 'a refresh of a login',
    table: refreshing,
    atOnce: 50,
    perAccount: 10,
    everyMs,
    run: (login) => refresh(services, login),
    async settle(settled) {
      const rows = settled.flatMap(({ accountId, item: { id }, outcome, waitSeconds }) =>
        outcome.kind === 'done'
          ? []
          : [
              {
                accountId,
                id,
                isCertain: false,
                waitSeconds: waitSeconds ?? againSeconds,
                values: {},
              },
            ],
      )
      await settleRows(services.database, refreshing, rows)
    },
  }
}

const retrySeconds = 5
const againSeconds = 300

async function refresh(services: RefreshServices, row: DueLogin): Promise<Tried<unknown>> {
  const { database, secrets, outbound, log } = services
  const { accountId, id } = row
  let login: Login
  try {
    login = openLogin(secrets, accountId, row)
  } catch (error) {
    // The deployment's key may come back.
    if (!(error instanceof DomainError)) throw error
    return { kind: 'later', why: error.message, seconds: againSeconds }
  }
  const { refresh_token: refreshToken } = login.tokens
  try {
    if (refreshToken === undefined) throw new LoginError('it has expired and cannot be refreshed')
    const fetch = createOAuthFetch(outbound, accountId)
    const tokens = await refreshTokens(fetch, login, refreshToken)
    const scope = tokens.scope ?? login.tokens.scope
    const renewed = { ...login, tokens: { ...tokens, scope } }
    await renewLogin(database, row, toTokens(secrets, accountId, id, renewed))
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    if (!error.isFinal) {
      logFailure(log, error, 'a login was not refreshed', { connectorId: row.connector_id })
      return { kind: 'later', why: error.message, seconds: retrySeconds }
    }
    await loseLogin(services, accountId, row, `the login has ended: ${error.message}`)
  }
  return done(undefined)
}
