import { KeyedMutex } from '../keyed-mutex.ts'
import type { Logger } from 'pino'
import { bootstrap, keyExists } from '../accounts/create-account.ts'
import { localUrl, type Config } from './config.ts'
import type { Services } from '../context.ts'
import { saveAddress, saveAdminKey } from './data-folder.ts'
import { countConnections, createPools, type Pools } from '../db/client.ts'
import { Notices } from '../db/notices.ts'
import { logFailure } from '../db/outage.ts'
import { startEmbeddedServer } from '../embedded/server.ts'
import { Feed } from '../engine/feed/feed.ts'
import { renewSetupLink } from '../people/setup.ts'
import { OidcClient } from '../people/oidc/client.ts'
import { isLoopback } from '../outbound/address.ts'
import { openWorkerPort } from './worker-port.ts'
import { Executor } from '../engine/worker/executor.ts'
import { openContents } from '../contents/open-contents.ts'
import { createFineTuneProviders } from '../fine-tunes/providers/providers.ts'
import { listen } from '../http/base-server.ts'
import { createMetricsServer } from '../http/metrics.ts'
import { Metrics } from '../telemetry/metrics.ts'
import type { BreakerClock } from '../models/breaker.ts'
import { AccountModels } from '../account-models/account-models.ts'
import { createModels } from '../models/models.ts'
import { createOutbound } from '../outbound/outbound.ts'
import { McpSessions } from '../connectors/mcp/sessions.ts'
import { countFreeFiles, countRunsForFiles } from './open-files.ts'
import { prepareDatabase, reachDatabase } from './prepare-database.ts'
import { leaseTimes } from '../engine/queue/jobs.ts'
import { Queue } from '../engine/queue/queue.ts'
import { Epochs } from './detect-epochs.ts'
import { createTriggers } from '../runs/trigger.ts'
import { hasProviders } from '../account-models/store.ts'
import { demoModel } from '../models/demo.ts'
import { openSecrets } from './secrets.ts'
import { Acknowledged } from '../engine/journal/epochs.ts'
import { DefinitionCache } from '../engine/queue/dispatch.ts'
import { startBackgroundWork } from './background-work.ts'
import { createApi } from './create-api.ts'
import { createLimits } from './limits.ts'
import { Sandbox } from '../sandbox/sandbox.ts'
import { WaitingClaims } from '../tool-calls/waiting-claims.ts'

/**
 * The composition root: creates everything that a process of a role needs, in order, and disposes
 * of it in reverse order.
 */
export type ProcessRole = 'all' | 'api' | 'worker'

export interface App extends AsyncDisposable {
  /** Address of the API; undefined for a worker. */
  url: string | undefined
  databaseUrl: string
  /** The setup link for the first admin, at each start until there is a person. */
  setupLink: string | undefined
  /** Whether there is no model but the stand-in: neither the server's nor an account's. */
  hasOnlyDemo: () => Promise<boolean>
}

export interface StartOptions {
  /** Receives the first admin key if this start created it, whatever fails afterwards. */
  showAdminKey?: (key: string) => void
  /** The database was restored: runs that started before are in doubt. */
  isRestored?: boolean
  /** Clock of the circuit breakers, for tests. */
  outageClock?: BreakerClock
  /** Aborts the start, which throws the signal's reason. */
  stopping?: AbortSignal
}

export async function startApp(
  config: Config,
  role: ProcessRole,
  log: Logger,
  { showAdminKey, stopping, outageClock, isRestored = false }: StartOptions = {},
): Promise<App> {
  await using stack = new AsyncDisposableStack()
  const onError = (error: unknown) => logFailure(log, error, 'background work failed')

  const say = (line: string) => log.info(line)
  const embedded = { dataDir: config.dataDir, log: say }
  const server =
    config.databaseUrl === undefined
      ? stack.use(await startEmbeddedServer({ ...embedded, signal: stopping }))
      : undefined
  const isEmbedded = server !== undefined
  const url = server?.url ?? (await reachDatabase(config.databaseUrl ?? '', say))
  stopping?.throwIfAborted()
  const { applied, isDistributed } = await prepareDatabase(url)
  stopping?.throwIfAborted()
  if (applied.length > 0)
    log.info({ applied: applied.length, newest: applied.at(-1) }, 'database migrated')

  const limits = createLimits(config)
  const sandbox = new Sandbox(limits)
  const acknowledged = new Acknowledged()
  const definitions = new DefinitionCache()
  const { trustsPromotion } = config
  const epochs = new Epochs({ acknowledged, log, trustsPromotion, home: server?.home })
  await epochs.open(url, isRestored)

  const onNotice = (message: string): void => log.warn(message)
  const models = stack.use(await createModels(config, process.env, outageClock, onNotice))
  const fineTunes = stack.use(await createFineTuneProviders(config, models))
  const pools = stack.use(
    createPools(
      url,
      config.connections,
      config.leaseMs / 2,
      (one) => epochs.check(one),
      isDistributed,
    ),
  )
  const { database, reads, supervision, background } = pools
  const runConcurrency = await holdFiles(config, pools, log)
  const { allowedNetworks, egressProxy: proxy } = config
  const outbound = stack.use(
    createOutbound({
      allowedNetworks,
      proxy,
      connections: 500,
      refusalMs: 1_000,
      inFlight: limits.callAnswers,
    }),
  )
  const mcpSessions = stack.use(new McpSessions({ outbound, sandbox, limits }))
  const secrets = await openSecrets(database, config, log)
  const newAdminKey = await bootstrap(database, config.adminKey)
  if (newAdminKey !== undefined) {
    showAdminKey?.(newAdminKey)
    if (isEmbedded) await saveAdminKey(config.dataDir, newAdminKey)
  }
  if (config.adminKey !== undefined && !(await keyExists(database, config.adminKey))) {
    log.warn('MUSTER_ADMIN_KEY is not a key of this database; it counts at the first start only')
  }

  const runsWork = role !== 'api'
  const notices = stack.use(new Notices(url))
  const times = leaseTimes(config.leaseMs)
  const queue = await Queue.open({
    database,
    supervision,
    times,
    notices: runsWork ? notices : undefined,
  })
  // No other process can use an embedded database that this process has just locked.
  if (isEmbedded) await queue.releaseAll()
  const accountModels = new AccountModels(models, { database, secrets, outbound, log }, notices)
  const feed = new Feed(database, notices, onError)
  const waitingClaims = new WaitingClaims(notices, onError)
  const stored = { database: pools.triggers, queue, acknowledged, definitions, limits }
  const triggers = createTriggers(stored)
  const services: Services = {
    database,
    shares: pools.share(limits.connections),
    reads,
    supervision,
    queue,
    models,
    accountModels,
    fineTunes,
    feed,
    acknowledged,
    definitions,
    triggers,
    answers: new KeyedMutex(),
    secrets,
    outbound,
    toolSettings: config.tools,
    mcpSessions,
    publicUrl: config.publicUrl ?? localUrl(config),
    accountConcurrency: config.accountConcurrency,
    contents: stack.use(openContents(database, config.files, proxy)),
    fileBytesPerAccount: config.fileBytesPerAccount,
    oidc: undefined,
    sandbox,
    waitingClaims,
    limits,
    log,
  }
  if (config.oidc !== undefined) {
    services.oidc = new OidcClient(config.oidc, () => services.publicUrl, secrets, proxy)
  }
  // Not awaited, because a store that is unavailable now may come back.
  void services.contents.probe().then((faults) => {
    for (const [store, why] of faults) log.warn({ store, why }, 'the store of files cannot be used')
  })
  const metrics = new Metrics(services)
  // Before any work starts, because it uses so much CPU that connections would time out.
  const http = role === 'worker' ? undefined : await createApi(config, services, metrics)
  stopping?.throwIfAborted()

  if (runsWork) {
    startBackgroundWork(stack, { services, background, notices, config, onError })
    // Last, so that it stops first.
    const executor = stack.use(
      new Executor({
        services: { ...services, toolTimeoutMs: config.tools.timeoutMs },
        port: openWorkerPort(services),
        metrics,
        runConcurrency,
        accountConcurrency: config.accountConcurrency,
      }),
    )
    epochs.onChange = () => executor.abandonAll()
  }
  if (config.metricsPort !== undefined) {
    const server = await createMetricsServer(services, metrics)
    stack.defer(() => server.close())
    await listen(server, config.host, { name: 'MUSTER_METRICS_PORT', port: config.metricsPort })
  }
  const hasTls = config.publicUrl?.startsWith('https:') === true
  if (http !== undefined && !isLoopback(config.host) && !hasTls) {
    const what = 'HOST can be reached by others, and MUSTER_PUBLIC_URL is no https:// address'
    log.warn(`${what}: keys and sessions travel unencrypted unless TLS is in front`)
  }
  if (http !== undefined) stack.defer(() => http.close())
  const address = http && (await listen(http, config.host, { name: 'PORT', port: config.port }))
  if (address !== undefined) {
    services.publicUrl = config.publicUrl ?? address
    if (isEmbedded) await saveAddress(config.dataDir, address)
  }
  // Disposed before the server, so that requests that wait for changes end and the server can
  // close.
  stack.use(feed)
  stack.use(waitingClaims)

  const setupLink = address === undefined ? undefined : await renewSetupLink(services)
  const all = stack.move()
  return {
    url: address,
    databaseUrl: url,
    setupLink,
    hasOnlyDemo: async () =>
      models.defaultModel === demoModel.id && !(await hasProviders(database)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/**
 * How many runs may be in progress here; if few files can be opened, database connections take
 * precedence.
 */
async function holdFiles(
  { runConcurrency, connections }: Config,
  pools: Pools,
  log: Logger,
): Promise<number> {
  const runs = countRunsForFiles(countFreeFiles(), countConnections(connections))
  if (runs >= runConcurrency) return runConcurrency
  await pools.hold()
  const message =
    'the limit of open files bounds the runs in progress; raise it (ulimit -n) for more'
  log.warn({ runs }, message)
  return runs
}
