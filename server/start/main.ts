import { constants } from 'node:os'
import pino from 'pino'
import { startApp, type ProcessRole } from './app.ts'
import { readConfig } from './config.ts'
import { startTelemetry } from '../telemetry/telemetry.ts'

/** npm passes on the Ctrl-C that the terminal has sent already: so close to the first, it is the same. */
const echoMs = 500

/**
 * `muster serve`: runs until SIGTERM, SIGINT or SIGHUP, then stops cleanly; a second signal stops at
 * once.
 */
export async function serve(role: ProcessRole, env = process.env): Promise<void> {
  const config = readConfig(env)
  // Lines are written in the background, some together; pino flushes them when the process exits.
  const destination = pino.destination({ sync: false, minLength: 4_096, periodicFlush: 100 })
  const log = pino({ level: config.logLevel, base: { role } }, destination)
  await using _telemetry = await startTelemetry(config)
  await using app = await startApp(config, role, log, (key) => {
    if (key === config.adminKey) return
    console.error(`\nAdmin key of the account "default", shown this once:\n${key}\n`)
  })
  log.info({ url: app.url }, 'ready')
  if (app.url !== undefined) console.error(`\nConsole: ${app.url}\n`)
  // At any log level, and where a supervisor keeps what a service says.
  if (app.setupLink !== undefined) {
    console.log(`First admin, good for 15 minutes and one use: ${app.setupLink}`)
  }

  const signal = await stopSignal()
  log.info({ signal }, 'stopping')
  void forcedStop().then((second) => process.exit(128 + constants.signals[second]))
}

async function forcedStop(): Promise<NodeJS.Signals> {
  const since = performance.now()
  for (;;) {
    const second = await stopSignal()
    if (performance.now() - since > echoMs) return second
  }
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
    const onSignal = (signal: NodeJS.Signals) => {
      for (const name of signals) process.off(name, onSignal)
      resolve(signal)
    }
    for (const name of signals) process.on(name, onSignal)
  })
}
