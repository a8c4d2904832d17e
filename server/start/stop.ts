import pg from 'pg'
import type { Logger } from 'pino'
import { connectionOptions } from '../db/client.ts'
import { loop } from '../loop.ts'
import { constants } from 'node:os'

/**
 * How long the database may be unresponsive while the process stops, and how often it is checked.
 */
const patience = { silentMs: 5_000, everyMs: 500, answerMs: 1_000 }

/**
 * Stops work on a database, waiting for steps in progress. If the database is unresponsive, nothing
 * can be written anyway, so the wait ends: returns false, and the process exits as if it was
 * killed, which other processes recover from.
 */
export async function stop(
  work: AsyncDisposable,
  databaseUrl: string,
  log: Logger,
  { silentMs, everyMs, answerMs } = patience,
): Promise<boolean> {
  const { promise: silent, resolve } = Promise.withResolvers<false>()
  let answeredAt = performance.now()
  await using _watch = loop({
    everyMs,
    tick: async () => {
      await ask(databaseUrl, answerMs)
      answeredAt = performance.now()
    },
    onError: (error) => {
      if (performance.now() - answeredAt < silentMs) return
      log.warn(
        { why: String(error) },
        'the database does not answer, so work in progress is not awaited',
      )
      resolve(false)
    },
  })
  return await Promise.race([work[Symbol.asyncDispose]().then(() => true), silent])
}

/** Over a separate connection, because the pools may be full of statements that get no response. */
async function ask(url: string, answerMs: number): Promise<void> {
  const client = new pg.Client({
    ...connectionOptions(url),
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    void client.end().catch(() => {})
  }
}

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
