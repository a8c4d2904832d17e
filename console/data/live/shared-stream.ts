import type { Muster } from '../../../sdk/client.ts'
import type { AccountEvent } from '../../../sdk/generated.ts'
import { delay } from '../../../sdk/time.ts'
import { withLock } from './lock.ts'

/**
 * A browser has six connections to a service for all its tabs, and a stream occupies one while it
 * is open. So the tabs of an account share one stream: the tab that holds the lock reads it and
 * broadcasts to the others; when that tab is closed, hidden or refused, the next one takes over.
 */
type StreamMessage =
  /** Hints arrive from now on, by this stream. */
  { kind: 'open'; stream: number } | { kind: 'broken' } | { kind: 'hint'; hint: AccountEvent }

export interface Listening {
  muster: Muster
  accountId: string
  signal: AbortSignal
  onMessage: (message: StreamMessage) => void
}

/** A tab whose stream is refused lets another tab try, and tries again after this time. */
const refusedPauseMs = 10_000

/** Calls back with the hints of the account's stream until the signal aborts. */
export async function listen({ muster, accountId, signal, onMessage }: Listening): Promise<void> {
  const name = `muster.stream.${accountId}`
  const channel = new BroadcastChannel(name)
  let openStream: number | undefined
  /** The last state that this tab broadcast about a stream that it reads itself. */
  let state: StreamMessage | undefined
  const broadcast = (message: StreamMessage | 'hello') =>
    // A channel only reaches pages of this origin, and has no target.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    channel.postMessage(message)
  const receive = (message: StreamMessage) => {
    // Repeated broadcasts are for tabs that have just joined.
    if (message.kind === 'open' && message.stream === openStream) return
    if (message.kind !== 'hint') openStream = message.kind === 'open' ? message.stream : undefined
    onMessage(message)
  }
  const publish = (message: StreamMessage) => {
    if (message.kind !== 'hint') state = message
    receive(message)
    broadcast(message)
  }
  channel.addEventListener('message', ({ data }: MessageEvent<StreamMessage | 'hello'>) => {
    if (signal.aborted) return
    if (data !== 'hello') receive(data)
    else if (state !== undefined) broadcast(state)
  })
  broadcast('hello')
  while (!signal.aborted) {
    await withLock(name, signal, () => read(muster, signal, publish)).catch(() => {})
    state = undefined
    await delay(refusedPauseMs, signal).catch(() => {})
  }
  channel.close()
}

/** Reads until the signal aborts or the service refuses. */
async function read(
  muster: Muster,
  signal: AbortSignal,
  publish: (message: StreamMessage) => void,
): Promise<void> {
  try {
    const onOpen = () => publish({ kind: 'open', stream: Math.random() })
    const onBroken = () => publish({ kind: 'broken' })
    const stream = muster.events.stream({ signal, onOpen, onBroken })
    for await (const hint of stream) publish({ kind: 'hint', hint })
  } catch {
    // An ended session is noticed by other requests.
    if (!signal.aborted) publish({ kind: 'broken' })
  }
}
