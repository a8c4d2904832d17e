/** Who acts: a program with a key, or a person in a session. */
export type Actor =
  | { type: 'key'; id: string; name: string }
  | { type: 'user'; id: string; name: string; sessionId: string }
