/** Who may do what: a role may do all that the roles before it may. */
export const roles = ['viewer', 'member', 'admin'] as const
export type Role = (typeof roles)[number]

export function allows(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed)
}
