import type { Muster, RunWithSteps } from '../../sdk/index.ts'

/**
 * Watches the request that a person is asked about: the signal aborts once it is not waiting any
 * more, because it was answered elsewhere or has expired.
 */
export function watchPending(
  muster: Muster,
  { id, pending }: RunWithSteps,
): Disposable & { gone: AbortSignal } {
  const gone = new AbortController()
  const stop = new AbortController()
  const compare = async (): Promise<void> => {
    const now = await muster.runs.retrieve(id, { signal: stop.signal })
    if (now.status !== 'waiting_input' || requestId(now) !== requestId({ pending })) gone.abort()
  }
  const watch = async (): Promise<void> => {
    const hints = muster.events.stream({
      signal: stop.signal,
      // Also after a broken connection: what happened meanwhile is not sent.
      onOpen: () => void compare().catch(ignore),
    })
    for await (const hint of hints) {
      if (hint.run_id === id) await compare()
    }
  }
  // Without the watch, a late answer is refused as before.
  watch().catch(ignore)
  return { gone: gone.signal, [Symbol.dispose]: () => stop.abort() }
}

function requestId({ pending }: Pick<RunWithSteps, 'pending'>): string | undefined {
  return pending?.case_id ?? pending?.id
}

function ignore(): void {}
