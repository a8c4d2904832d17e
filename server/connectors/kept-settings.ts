import type { Context, Services } from '../context.ts'
import { cannot } from '../errors.ts'
import type { BuiltInConnector } from '../tools/connector.ts'
import { isSecretField } from './built-ins.ts'
import { openSecret } from './secret.ts'
import type { StoredConnector } from './store.ts'

/**
 * When a built-in connector is changed, the form shows its settings that are not secret, and a
 * secret that is left out keeps its value if it is still sent to the same place: otherwise an admin
 * could have the stored password sent to a server of their own.
 */

type Fields = Record<string, unknown>

/** The stored settings that are not secret; empty if there are none or they cannot be decrypted. */
export function showSettings(
  services: Pick<Services, 'secrets'>,
  accountId: string,
  builtIn: BuiltInConnector,
  stored: StoredConnector | undefined,
): Fields | undefined {
  if (stored?.kind !== 'builtin') return undefined
  const fields = openOrNothing(services, accountId, stored)
  const settings = Object.entries(fields).filter(([name]) => !isSecretField(builtIn, name))
  return settings.length === 0 ? undefined : Object.fromEntries(settings)
}

/** The body completed by the stored secrets that it leaves out. */
export function keepSecrets(
  ctx: Context,
  builtIn: BuiltInConnector,
  body: unknown,
  stored: StoredConnector | undefined,
): { body: unknown; isKept: boolean } {
  if (stored?.kind !== 'builtin' || typeof body !== 'object' || body === null) {
    return { body, isKept: false }
  }
  const { credentials, harmlessFields = [], secretNeeds = {} } = builtIn
  const [old, given] = [openOrNothing(ctx, ctx.accountId, stored), body as Fields]
  const names = Object.keys(credentials.properties)
  const kept = names.filter((name) => {
    const isLeftOut = old[name] !== undefined && given[name] === undefined
    const needed = secretNeeds[name]
    return (
      isSecretField(builtIn, name) &&
      isLeftOut &&
      (needed === undefined || given[needed] !== undefined)
    )
  })
  if (kept.length === 0) return { body, isKept: false }
  const moved = names.find(
    (name) =>
      !isSecretField(builtIn, name) && !harmlessFields.includes(name) && old[name] !== given[name],
  )
  if (moved !== undefined) {
    const [param = ''] = kept
    throw cannot(ctx, 'required', `${param} is required with another ${moved}`, { param })
  }
  const secrets = Object.fromEntries(kept.map((name) => [name, old[name]]))
  return { body: { ...given, ...secrets }, isKept: true }
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
