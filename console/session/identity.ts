import type { Muster } from '../../sdk/client.ts'
import type { Me } from '../../sdk/generated.ts'
import type { Role } from './roles.ts'

/** The signed-in person or key, and its account. */
export interface Identity {
  /** Id of the user or key, as in decisions. */
  id: string
  name: string
  role: Role
  account: { id: string; name: string }
  /** Set for a user; undefined for a key. */
  person: Me | undefined
}

/** Asks the API which user or key is signed in, and to which account. */
export async function identify(muster: Muster, hasKey: boolean): Promise<Identity> {
  if (!hasKey) return identityOf(await muster.me.retrieve())
  const { id, name, key } = await muster.account.retrieve()
  // The API refuses this question to a worker.
  const role = key.role === 'worker' ? 'viewer' : key.role
  return { id: key.id, name: key.name, role, account: { id, name }, person: undefined }
}

export function identityOf(person: Me): Identity {
  const { id, name, role, account } = person
  return { id, name, role, account, person }
}
