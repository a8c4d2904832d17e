/** What a person can allow a program at `/mcp`. The person's role limits each of them. */
export const scopes = ['run', 'read', 'answer'] as const
export type Scope = (typeof scopes)[number]

/** Asked for by clients that name no scope; `answer` has to be named. */
export const defaultScopes: readonly Scope[] = ['run', 'read']

/** The known scopes of a list, in a fixed order; scopes of other servers, such as `offline_access`, are left out. */
export function readScopes(text: string): Scope[] {
  const asked = text.split(' ')
  return scopes.filter((scope) => asked.includes(scope))
}
