import { constants } from 'node:os'
import pino from 'pino'
import { startApp, type ProcessRole } from './app.ts'
import { readConfig } from './config.ts'
import { startTelemetry } from '../telemetry/telemetry.ts'

/** `muster serve`: runs until SIGTERM or SIGINT, then stops cleanly; a second signal stops at once. */
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

  const signal = await stopSignal()
  log.info({ signal }, 'stopping')
  void stopSignal().then((second) => process.exit(128 + constants.signals[second]))
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const signals = ['SIGTERM', 'SIGINT'] as const
    const onSignal = (signal: NodeJS.Signals) => {
      for (const name of signals) process.off(name, onSignal)
      resolve(signal)
    }
    for (const name of signals) process.on(name, onSignal)
  })
}
