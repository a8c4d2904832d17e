import { constants } from 'node:os'

/** npm passes on the Ctrl-C that the terminal has sent already: so close to the first, it is the same. */
const echoMs = 500

/**
 * Aborts at the first signal to stop, whose name is the reason; a second one ends the process at once.
 * Listens until it is disposed of.
 */
export function onStopSignals(): { stopping: AbortSignal } & Disposable {
  const stop = new AbortController()
  let firstAt = 0
  const onSignal = (name: NodeJS.Signals): void => {
    if (!stop.signal.aborted) {
      firstAt = performance.now()
      stop.abort(name)
    } else if (performance.now() - firstAt > echoMs) {
      process.exit(128 + constants.signals[name])
    }
  }
  const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  for (const name of names) process.on(name, onSignal)
  return {
    stopping: stop.signal,
    [Symbol.dispose]() {
      for (const name of names) process.off(name, onSignal)
    },
  }
}
