import type { Context, Services } from '../context.ts'
import { cannot } from '../errors.ts'
import { openSecret } from './secret.ts'
import type { StoredConnector } from './store.ts'

/**
 * Changing a built-in connector keeps what is no secret in the form, and a secret that is left out, as long as it
 * goes where it went before: else whoever may change the server could have the stored password sent to their own.
 */
const secrets = ['pass', 'token', 'search_key']
const destination = ['host', 'port', 'secure', 'user']
const shown = [...destination, 'from']

type Fields = Record<string, unknown>

/** The stored fields that are no secret; none where the connector has none or cannot be opened. */
export function showSettings(
  services: Pick<Services, 'secrets'>,
  accountId: string,
  stored: StoredConnector | undefined,
): Fields | undefined {
  if (stored?.kind !== 'builtin') return undefined
  const fields = openOrNothing(services, accountId, stored)
  const settings = Object.entries(fields).filter(([name]) => shown.includes(name))
  return settings.length === 0 ? undefined : Object.fromEntries(settings)
}

/** The body with the stored secrets that it leaves out. */
export function keepSecrets(
  ctx: Context,
  body: unknown,
  stored: StoredConnector | undefined,
): { body: unknown; isKept: boolean } {
  if (stored?.kind !== 'builtin' || typeof body !== 'object' || body === null) {
    return { body, isKept: false }
  }
  const [old, given] = [openOrNothing(ctx, ctx.accountId, stored), body as Fields]
  const left = secrets.filter((name) => old[name] !== undefined && given[name] === undefined)
  // Without a user name there is no login, and so no password.
  const wanted = left.filter((name) => name !== 'pass' || given['user'] !== undefined)
  if (wanted.length === 0) return { body, isKept: false }
  const [moved] = destination.filter((name) => old[name] !== given[name])
  if (moved !== undefined) {
    const [param = ''] = wanted
    throw cannot(ctx, 'required', `${param} is required with another ${moved}`, { param })
  }
  const kept = Object.fromEntries(wanted.map((name) => [name, old[name]]))
  return { body: { ...given, ...kept }, isKept: true }
}

function openOrNothing(
  services: Pick<Services, 'secrets'>,
  accountId: string,
  stored: StoredConnector,
): Fields {
  try {
    return openSecret(services.secrets, accountId, stored)
  } catch {
    return {}
  }
}
