import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { advanceBatches } from '../batches/advance.ts'
import { advanceBulkOperations } from '../bulk-operations/advance.ts'
import { createAuthenticator } from '../accounts/authenticate.ts'
import { bootstrap, keyExists } from '../accounts/bootstrap.ts'
import { localUrl, type Config } from './config.ts'
import type { Services } from '../context.ts'
import { saveAddress, saveAdminKey } from './data-folder.ts'
import { countConnections, createPools, type Pools } from '../db/client.ts'
import { Notices } from '../db/notices.ts'
import { logFailure } from '../db/outage.ts'
import { startEmbeddedServer } from '../embedded/server.ts'
import { Feed } from '../engine/feed/feed.ts'
import { indexRunWords } from '../engine/journal/run-words.ts'
import { renewSetupLink } from '../people/setup.ts'
import { OidcClient } from '../people/oidc/client.ts'
import { isLoopback } from '../outbound/secure-url.ts'
import { Executor } from '../engine/worker/executor.ts'
import { dropContents } from '../files/drop-contents.ts'
import { MailboxReader } from '../mailboxes/reader.ts'
import { openContents } from '../contents/open-contents.ts'
import { createFineTuneProviders } from '../fine-tunes/providers/providers.ts'
import { Tracker } from '../fine-tunes/tracker.ts'
import { tellAlerts } from '../alerts/tell.ts'
import { addAnswerPages } from '../channels/answer-routes.ts'
import { addSlackClicks } from '../channels/slack-clicks.ts'
import { Notifier } from '../channels/notifier.ts'
import { addConsole } from '../http/console.ts'
import { addHealth } from '../http/health.ts'
import { addIdempotency } from '../http/idempotency.ts'
import { listen } from '../http/listen.ts'
import { addMetrics, createMetricsServer } from '../http/metrics.ts'
import { addOpenApi } from '../http/openapi.ts'
import { createHttpServer } from '../http/server.ts'
import { addTracing } from '../http/tracing.ts'
import { Metrics } from '../telemetry/metrics.ts'
import type { BreakerClock } from '../models/breaker.ts'
import { AccountModels } from '../account-models/account-models.ts'
import { createModels } from '../models/models.ts'
import { createOutbound } from '../outbound/outbound.ts'
import { McpSessions } from '../connectors/mcp/sessions.ts'
import { countFreeFiles, countRunsForFiles } from './open-files.ts'
import { prepareDatabase, reachDatabase } from './prepare-database.ts'
import { leaseTimes } from '../engine/queue/leases.ts'
import { Queue, announceEveryMs } from '../engine/queue/queue.ts'
import { Pruner } from '../retention/retention.ts'
import { Epochs } from './epochs.ts'
import { eraseAccounts } from '../operator/erase.ts'
import { measureStored } from '../operator/measure.ts'
import { addRoutes } from './routes.ts'
import { expireWaits } from '../engine/journal/expire.ts'
import { createTriggers } from '../runs/trigger.ts'
import { openSecrets } from './secrets.ts'
import { version } from '../version.ts'
import { loop } from '../loop.ts'
import { foldUsage } from '../usage/fold.ts'
import { addHookAddresses } from '../hooks/receive.ts'
import { HookRouter } from '../hooks/router.ts'
import { Starter } from '../schedules/starter.ts'
import { Sender } from '../webhooks/sender.ts'
import { Acknowledged } from '../engine/safety/acknowledged.ts'
import { DefinitionCache } from '../engine/queue/dispatch.ts'

/**
 * The only wiring: builds what a process of a role needs, in the order of its needs, and takes it
 * down in the opposite one.
 */
export type ProcessRole = 'all' | 'api' | 'worker'

export interface App extends AsyncDisposable {
  /** Address of the API; undefined for a worker. */
  url: string | undefined
  databaseUrl: string
  /** Made at the first start of an empty database: the one-time link of the first admin. */
  setupLink: string | undefined
}

export interface StartOptions {
  /** Gets the first admin key when this start made it, whatever fails afterwards. */
  showAdminKey?: (key: string) => void
  /** The database was restored: what began before is in doubt. */
  isRestored?: boolean
  /** By which outages of providers are timed, for tests. */
  outageClock?: BreakerClock
  /** Gives up the start and throws the signal's reason. */
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
  const { database, shares, reads, supervision, background } = pools
  const runConcurrency = await holdFiles(config, pools, log)
  const { allowedNetworks, egressProxy: proxy } = config
  const outbound = stack.use(
    createOutbound({ allowedNetworks, proxy, connections: 500, refusalMs: 1_000 }),
  )
  const mcpSessions = stack.use(new McpSessions(outbound))
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
  // Nobody else can be at work over an embedded database that this process has just taken.
  if (isEmbedded) await queue.giveBackAll()
  const accountModels = new AccountModels(models, { database, secrets, outbound, log }, notices)
  const feed = new Feed(database, notices, onError)
  const triggers = createTriggers({ database: pools.triggers, queue, acknowledged, definitions })
  const services: Services = {
    database,
    shares,
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
    secrets,
    outbound,
    toolSettings: config.tools,
    mcpSessions,
    publicUrl: config.publicUrl ?? localUrl(config),
    accountConcurrency: config.accountConcurrency,
    contents: stack.use(openContents(database, config.files, proxy)),
    fileBytesPerAccount: config.fileBytesPerAccount,
    oidc: undefined,
    log,
  }
  if (config.oidc !== undefined) {
    services.oidc = new OidcClient(config.oidc, () => services.publicUrl, secrets, proxy)
  }
  // A store that is away may come back; the service does not wait for it.
  void services.contents.probe().then((faults) => {
    for (const [store, why] of faults) log.warn({ store, why }, 'the store of files cannot be used')
  })
  const metrics = new Metrics(services)
  // Before any work begins: it takes the processor for so long that connections would time out.
  const http = role === 'worker' ? undefined : await createApi(config, services, metrics)
  stopping?.throwIfAborted()

  if (runsWork) {
    const { accountConcurrency, intervals: every } = config
    const schedule = config.webhookSchedule
    const inBackground = { ...services, database: background }
    const sending = { database: background, outbound, secrets, log, notices, schedule }
    stack.use(new Sender({ ...sending, everyMs: every.deliveriesMs }))
    const telling = {
      everyMs: every.channelsMs,
      remindersMs: every.remindersMs,
      publicUrl: () => services.publicUrl,
    }
    stack.use(new Notifier(inBackground, telling))
    stack.use(new MailboxReader(inBackground, every.mailboxesMs))
    stack.use(new Tracker(inBackground, every.fineTunesMs))
    const advance = () => advanceBatches(inBackground)
    const batchesMs = { everyMs: 4 * every.batchesMs, minGapMs: every.batchesMs }
    stack.use(loop({ ...batchesMs, tick: advance, onError }))
    stack.use(new Starter(inBackground, every.schedulesMs))
    stack.use(new HookRouter(inBackground, notices, every.hooksMs))
    const bulk = () => advanceBulkOperations(inBackground)
    stack.use(loop({ everyMs: every.bulkOperationsMs, tick: bulk, onError }))
    const tell = () => tellAlerts(inBackground, every.alertsMs / 1_000)
    stack.use(loop({ everyMs: every.alertsMs, tick: tell, onError }))
    const pruner = new Pruner(background, config.retention, onError)
    stack.use(loop({ everyMs: every.retentionMs, tick: () => pruner.tick(), onError }))
    const drop = () => dropContents(inBackground, onError)
    stack.use(loop({ everyMs: every.filesMs, tick: drop, onError }))
    const erase = () => eraseAccounts({ database: background, log }, every.erasureSettlesMs)
    stack.use(loop({ everyMs: every.erasureMs, tick: erase, onError }))
    stack.use(loop({ everyMs: every.measureMs, tick: () => measureStored(background), onError }))
    stack.use(loop({ everyMs: every.usageMs, tick: () => foldUsage(background), onError }))
    stack.use(loop({ everyMs: every.runWordsMs, tick: () => indexRunWords(background), onError }))
    stack.use(
      loop({
        everyMs: every.expiryMs,
        tick: async () => (await expireWaits(inBackground)) > 0,
        onError,
      }),
    )
    stack.defer(() => queue.withdraw().catch(onError))
    const announcing = { everyMs: announceEveryMs, startsAtOnce: true, onError }
    stack.use(loop({ ...announcing, tick: () => queue.announce() }))
    // Last, so that it is the first to stop.
    const executor = stack.use(
      new Executor({ services, metrics, runConcurrency, accountConcurrency }),
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
  // First of all those that wait for changes are let go, so that the server can close.
  stack.use(feed)

  const isFirst = newAdminKey !== undefined && address !== undefined
  const setupLink = isFirst ? await renewSetupLink(services) : undefined
  const all = stack.move()
  return {
    url: address,
    databaseUrl: url,
    setupLink,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** How many runs may be in progress here; where open files are few, those for the database come first. */
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

async function createApi(
  config: Config,
  services: Services,
  metrics: Metrics,
): Promise<FastifyInstance> {
  const { database, secrets } = services
  const authenticator = createAuthenticator(database, config.operatorKey)
  const app = await createHttpServer({
    services,
    metrics,
    authenticator,
    rateLimitPerMinute: config.rateLimitPerMinute,
    accountRateLimitPerMinute: config.accountRateLimitPerMinute,
    accountBytesPerMinute: config.accountBytesPerMinute,
    readConnections: config.connections.reads,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
  })
  if (config.otlpEndpoint !== undefined) addTracing(app)
  addIdempotency(app, { database, secrets, leaseMs: config.leaseMs })
  await addOpenApi(app, version, {
    docs: config.docs,
    publicUrl: () => services.publicUrl,
  })
  addHealth(app, services)
  if (config.metricsPort === undefined) {
    addMetrics(app, metrics, isLoopback(config.host) ? undefined : authenticator)
  }
  await addRoutes(app)
  addAnswerPages(app, services)
  addSlackClicks(app, services)
  addHookAddresses(app, services, {
    eventsPerMinute: config.accountRateLimitPerMinute,
    bodyMs: config.intervals.hookBodyMs,
  })
  await addConsole(app, fileURLToPath(new URL('.', import.meta.resolve('#console/index.html'))))
  await app.ready()
  return app
}
