import type { Services } from '../context.ts'
import { readPolicies } from '../policies/read.ts'
import type { BuiltInConnector, CallContext } from '../tools/connector.ts'
import { findBuiltInConnector } from './built-ins.ts'
import { openSecret } from './secret.ts'
import { connectors, isOwn, type StoredConnector } from './store.ts'

type Calling = Pick<Services, 'database' | 'outbound' | 'sandbox' | 'toolSettings' | 'secrets'>

/**
 * The context of a call with the account's credentials, or else the operator's; undefined if there
 * are none.
 */
export function callContextOf(
  { database, outbound, sandbox, toolSettings, secrets }: Calling,
  accountId: string,
  builtIn: BuiltInConnector,
  stored: StoredConnector | undefined,
): CallContext | undefined {
  const own = stored && openSecret(secrets, accountId, stored)
  const credentials = own ?? builtIn.operatorCredentials?.(toolSettings)
  if (credentials === undefined) return undefined
  const readFetchHosts = async () => (await readPolicies(database, accountId)).web_fetch_hosts
  const isOperators = own === undefined
  return { accountId, outbound, sandbox, toolSettings, credentials, readFetchHosts, isOperators }
}

/** The same for a stored connector, for messages that Muster itself sends through it. */
export async function findCallContext(
  services: Calling,
  accountId: string,
  id: string,
): Promise<CallContext | undefined> {
  const stored = await connectors.find(services.database, accountId, { id })
  const builtIn = isOwn(stored) ? undefined : findBuiltInConnector(id)
  return builtIn && callContextOf(services, accountId, builtIn, stored)
}
