import { once } from 'node:events'
import pretty from 'pino-pretty'
import { startApp, type App, type ProcessRole } from './app.ts'
import { banner } from './banner.ts'
import { readConfig } from './config.ts'
import { adminKeyPath } from './data-folder.ts'
import { findLocalServers, offerLocalServers } from './local-models.ts'
import { toStartFailure } from './prepare-database.ts'
import { stop, onStopSignals } from './stop.ts'
import { startTelemetry } from '../telemetry/telemetry.ts'
import pino, { type DestinationStream } from 'pino'

/**
 * `muster serve`: runs until SIGTERM, SIGINT or SIGHUP, then stops cleanly; a second signal stops
 * at once. A signal during the start takes effect after the current step.
 */
export async function serve(
  role: ProcessRole,
  env = process.env,
  { isRestored = false } = {},
): Promise<void> {
  using signals = onStopSignals()
  const { stopping } = signals
  const config = readConfig(env)
  const isTerminal = process.stdout.isTTY
  const log = pino({ level: config.logLevel, base: { role } }, openLog(isTerminal))
  for (const problem of config.unknownSettings) log.warn(problem)
  await using _telemetry = await startTelemetry(config)
  let adminKey: string | undefined
  const showAdminKey = (key: string): void => {
    if (key === config.adminKey) return
    adminKey = key
    if (isTerminal) return
    console.error(`\nAdmin key of the account "default", shown only once:\n${key}\n`)
  }
  let app: App
  try {
    app = await startApp(config, role, log, { showAdminKey, stopping, isRestored })
  } catch (error) {
    // Shown only once, whatever failed afterwards.
    if (adminKey !== undefined && isTerminal) console.error(`Admin key: ${adminKey}`)
    if (error !== stopping.reason) throw toStartFailure(error)
    log.info({ signal: stopping.reason as string }, 'stopped while it started')
    return
  }
  log.info({ url: app.url }, 'ready')
  const { url, setupLink } = app
  const keyFile = config.databaseUrl === undefined ? adminKeyPath(config.dataDir) : undefined
  if (isTerminal) {
    console.log(banner({ url, setupLink, adminKey, keyFile }))
    if (url !== undefined && (await app.hasOnlyDemo())) {
      console.log(offerLocalServers(await findLocalServers(), config.allowedNetworks))
    }
  }
  if (!isTerminal && url !== undefined) console.error(`\nConsole: ${url}\n`)
  // Shown at any log level, and also if a supervisor collects the output.
  if (setupLink !== undefined && !isTerminal) {
    console.log(`First admin, valid once within 15 minutes: ${setupLink}`)
  }

  if (!stopping.aborted) await once(stopping, 'abort')
  log.info({ signal: stopping.reason as string }, 'stopping')
  if (!(await stop(app, app.databaseUrl, log))) process.exit(1)
}

/** JSON for programs, short lines for people. */
function openLog(isTerminal: boolean): DestinationStream {
  // Lines are written asynchronously and in batches; pino flushes them when the process exits.
  const destination = pino.destination({ sync: false, minLength: 4_096, periodicFlush: 100 })
  // A closed terminal must not crash the service.
  destination.on('error', () => {})
  if (!isTerminal) return destination
  const translateTime = 'SYS:HH:MM:ss'
  const ignore = 'pid,hostname,role,accountId,actorId'
  return pretty({ destination, colorize: true, singleLine: true, translateTime, ignore })
}
