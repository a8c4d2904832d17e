import { delay } from '../../../sdk/time.ts'

/**
 * Holds a lock that one tab of a browser has at a time, while `hold` works; throws its error, or the abort. Web Locks
 * exist only in secure contexts. Over plain HTTP from another machine the tabs agree by messages.
 */
export function withLock<Result>(
  name: string,
  signal: AbortSignal,
  hold: () => Promise<Result>,
): Promise<Result> {
  return isSecureContext
    ? navigator.locks.request(name, { signal }, hold)
    : withMessages(name, signal, hold)
}

type LockMessage = { kind: 'ask'; id: number } | { kind: 'taken' } | { kind: 'free' }

/** A tab that is busy may answer late: then two tabs hold the lock for a while, which costs a connection. */
const answerMs = 300
/** The tab that holds the lock may end without a word. */
const askAgainMs = 3_000

async function withMessages<Result>(
  name: string,
  signal: AbortSignal,
  hold: () => Promise<Result>,
): Promise<Result> {
  const id = Math.random()
  let state: 'waits' | 'asks' | 'holds' = 'waits'
  let heard = new AbortController()
  const channel = new BroadcastChannel(`${name}.lock`)
  // A channel only reaches pages of this origin, and has no target.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  const say = (message: LockMessage): void => channel.postMessage(message)
  channel.addEventListener('message', ({ data }: MessageEvent<LockMessage>) => {
    const { kind } = data
    if (kind === 'ask' && (state === 'holds' || (state === 'asks' && id < data.id))) {
      say({ kind: 'taken' })
    }
    if (state === 'asks' ? kind === 'taken' : kind === 'free') heard.abort()
  })
  /** True if nothing was heard in this time. */
  const isSilent = async (ms: number): Promise<boolean> => {
    heard = new AbortController()
    return delay(ms, AbortSignal.any([signal, heard.signal])).then(
      () => true,
      () => false,
    )
  }
  try {
    for (;;) {
      signal.throwIfAborted()
      state = 'asks'
      say({ kind: 'ask', id })
      if (await isSilent(answerMs)) break
      state = 'waits'
      await isSilent(askAgainMs)
    }
    state = 'holds'
    return await hold()
  } finally {
    if (state === 'holds') say({ kind: 'free' })
    channel.close()
  }
}
