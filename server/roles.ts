/** Roles; each includes the permissions of the roles before it. */
export const roles = ['viewer', 'approver', 'member', 'admin'] as const
export type Role = (typeof roles)[number]

/** `operator`: runs the service, outside of all accounts. */
export type CallerRole = Role | 'operator'

/** `anyone` needs neither key nor session. */
export type NeededRole = CallerRole | 'anyone'

export function allows(role: CallerRole, needed: NeededRole): boolean {
  if (role === 'operator' || needed === 'operator') return role === needed
  return needed === 'anyone' || roles.indexOf(role) >= roles.indexOf(needed)
}
