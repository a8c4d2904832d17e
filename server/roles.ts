/** Who may do what: a role may do all that the roles before it may. */
export const roles = ['viewer', 'approver', 'member', 'admin'] as const
export type Role = (typeof roles)[number]

/** `anyone` needs no key and no session. */
export type NeededRole = Role | 'anyone'

export function allows(role: Role, needed: NeededRole): boolean {
  return needed === 'anyone' || roles.indexOf(role) >= roles.indexOf(needed)
}
