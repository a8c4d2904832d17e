/** Who acts: a program with a key, or a person in a session. */
export type Actor =
  | { type: 'key'; id: string; name: string }
  | { type: 'user'; id: string; name: string; sessionId: string }

/** The key, or the session, by which somebody acts in an account. */
export interface Credential {
  accountId: string
  id: string
}
