/** Who may do what: a role may do all that the roles before it may. */
export const roles = ['viewer', 'approver', 'member', 'admin'] as const
export type Role = (typeof roles)[number]

/** `operator`: whoever runs the service, apart from all accounts. */
export type CallerRole = Role | 'operator'

/** `anyone` needs no key and no session. */
export type NeededRole = CallerRole | 'anyone'

export function allows(role: CallerRole, needed: NeededRole): boolean {
  if (role === 'operator' || needed === 'operator') return role === needed
  return needed === 'anyone' || roles.indexOf(role) >= roles.indexOf(needed)
}
