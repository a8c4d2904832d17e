import { once } from 'node:events'
import pino from 'pino'
import { startApp, type ProcessRole } from './app.ts'
import { readConfig } from './config.ts'
import { onStopSignals } from './stop-signals.ts'
import { startTelemetry } from '../telemetry/telemetry.ts'

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

  const { stopping } = onStopSignals()
  await once(stopping, 'abort')
  log.info({ signal: stopping.reason as unknown }, 'stopping')
}
