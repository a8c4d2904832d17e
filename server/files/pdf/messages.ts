/** What the thread and its owner say to each other. */
export type FromThread =
  | { kind: 'opened'; pages: number }
  /** It cannot be read at all. */
  | { kind: 'refused'; why: string }
  /** Texts of the next pages; the thread goes on when it is asked for more. */
  | { kind: 'texts'; texts: string[] }
  | { kind: 'end'; isCut: boolean }

export type ToThread = { kind: 'open'; bytes: Uint8Array } | { kind: 'more' }
