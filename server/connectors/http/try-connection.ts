import type { Services } from '../../context.ts'
import type { Finding } from '../../db/connection-state.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { hideConnection, loginOf } from './connection.ts'
import { openConnection } from './login.ts'
import type { HttpRow } from './row.ts'
import { accessTokens, LoginError } from './tokens.ts'

const timeoutMs = 15_000

/**
 * Whether an API can be reached, and does not refuse the login: it asks for the headers of the base
 * address, which has no effect. Most APIs have nothing there, so any other answer counts as reached.
 */
export async function tryConnection(
  services: Pick<Services, 'outbound' | 'secrets'> & { accountId: string },
  row: HttpRow,
): Promise<Finding> {
  const { accountId, outbound } = services
  const tokens = accessTokens(outbound)
  const connection = openConnection(services, accountId, row)
  const tokenKey = `${accountId} ${row.id} ${row.version}`
  const failing = (why: string): Finding => ({
    ok: false,
    message: hideConnection(why, connection),
  })
  try {
    tokens.forget(tokenKey)
    const token = await tokens.of(tokenKey, connection)
    const { headers, query } = loginOf(connection, token)
    const url = new URL(connection.base_url)
    for (const [name, value] of query) url.searchParams.set(name, value)
    const { status } = await outbound.request(url, {
      method: 'HEAD',
      headers: { accept: '*/*', 'user-agent': 'Muster', ...headers },
      timeoutMs,
      maxResponseBytes: 1024,
      allowHttp: 'inside',
    })
    if (status === 401) return failing('The API answered 401: it does not accept the login')
    if (status >= 500) return failing(`The API answered ${status}`)
    const login = token === undefined ? '' : ' with a new access token'
    return { ok: true, message: `The API answers${login} (${status} at its base address)` }
  } catch (error) {
    if (error instanceof LoginError) return failing(`Cannot log in: ${error.message}`)
    if (!(error instanceof OutboundError)) throw error
    return failing(`The API cannot be reached: ${error.message}`)
  }
}
