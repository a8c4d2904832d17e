import { constants } from 'node:os'

/**
 * npm passes on a Ctrl-C that the terminal has already sent: a second signal this soon is the same
 * one.
 */
const echoMs = 500

/**
 * Aborts at the first stop signal, with its name as the reason; a second one ends the process at
 * once. Listens until disposed.
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
