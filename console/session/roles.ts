/** The permissions of each role, to hide controls that the API would refuse. The API decides. */
export type Role = 'viewer' | 'approver' | 'member' | 'admin'

/** Roles of API keys. */
export type KeyRole = Role | 'worker'

const order: readonly Role[] = ['viewer', 'approver', 'member', 'admin']

export interface Rights {
  /** Answer pending requests. */
  answer: boolean
  /** Create, change and run. */
  write: boolean
  /** Connectors, keys, people, audit. */
  administer: boolean
}

export function rightsOf(role: Role): Rights {
  const rank = order.indexOf(role)
  return { answer: rank >= 1, write: rank >= 2, administer: rank >= 3 }
}
