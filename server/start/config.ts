import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { readFileSync } from 'node:fs'
import { badSetting } from '../config-error.ts'
import { defaultPoolSizes, type PoolSizes } from '../db/client.ts'
import type { FilesConfig } from '../contents/open-contents.ts'
import type { FineTunesConfig } from '../fine-tunes/providers/providers.ts'
import type { ModelsConfig } from '../models/models.ts'
import { builtInConnectors } from '../connectors/built-ins.ts'
import { builtInProviders, keyNameOf } from '../models/providers/built-ins.ts'
import type { S3Keys, S3Settings } from '../contents/s3-settings.ts'
import { parseAllowedNetworks, type AllowedNetworks } from '../outbound/address.ts'
import type { OidcSettings } from '../people/oidc/client.ts'
import type { Retention } from '../retention/retention.ts'
import type { ToolSettings } from '../tools/connector.ts'
import { sender } from '../connectors/email-address.ts'
import * as kind from './setting-kinds.ts'
import { findUnknownSettings, type Bad, type Parse } from './setting-kinds.ts'

/**
 * Reads `Config` from the environment, pure: `readConfig` lists all variables. An invalid value
 * throws a `ConfigError`. Values that may contain a password or key are never shown.
 */
export interface Config extends ModelsConfig, FineTunesConfig {
  /** PostgreSQL connection string; undefined means the embedded server in `dataDir`. */
  databaseUrl: string | undefined
  /** Sizes of the connection pools that an operator can set. */
  connections: PoolSizes
  /** Intervals of the background loops; tests shorten them. */
  intervals: typeof intervals
  /** Absolute path of the folder for the embedded database and for generated keys. */
  dataDir: string
  host: string
  port: number
  /** Port of `/metrics`; undefined if it is served on the main port. */
  metricsPort: number | undefined
  /** 32 bytes that encrypt stored secrets; undefined until it is generated or set. */
  secretKey: Buffer | undefined
  /** Additional keys that can decrypt stored secrets, for key rotation. */
  otherSecretKeys: Buffer[]
  /** The first admin key of an empty database, instead of a random one. */
  adminKey: string | undefined
  /** Key of the operator's API, `/v1/operator`; undefined to disable it. */
  operatorKey: string | undefined
  /** Runs in progress per process. */
  runConcurrency: number
  /** Runs in progress per account over all processes. */
  accountConcurrency: number
  /** A worker that does not renew its lease of a run within this time loses the run. */
  leaseMs: number
  /** Requests per minute and API key; 0 for no limit. */
  rateLimitPerMinute: number
  /** Requests per minute with all keys of an account; 0 for no limit. */
  accountRateLimitPerMinute: number
  /**
   * Response bytes per minute and account, after which large responses are refused; 0 for no limit.
   */
  accountBytesPerMinute: number
  /** Limit for the files of an account, unless its operator has set a quota. */
  fileBytesPerAccount: number
  files: FilesConfig
  /** Whether `/docs` is served. */
  docs: boolean
  /** Base URL of links in emails and messages; undefined to use the listening address. */
  publicUrl: string | undefined
  /** Networks of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: string[]
  oidc: OidcSettings | undefined
  /** Origins of other sites whose pages may call the API. */
  corsOrigins: readonly string[]
  tools: ToolSettings
  /** Private networks that users' addresses may reach. */
  allowedNetworks: AllowedNetworks
  /** Delays in seconds before each attempt of a webhook delivery. */
  webhookSchedule: readonly number[]
  retention: Retention
  /** Whether a promoted standby has all acknowledged data. */
  trustsPromotion: boolean
  logLevel: string
  otlpEndpoint: string | undefined
  /** Whether traces have prompts, answers, arguments and results. */
  capturesContent: boolean
  /** Messages about variables that look like settings but are unknown. */
  unknownSettings: string[]
}

/** The name that OpenTelemetry's instrumentations of other libraries have. */
const contentSetting = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'

export function readConfig(env: Record<string, string | undefined>): Config {
  const known = new Set<string>()
  const text = (name: string): string | undefined => {
    known.add(name)
    if (secretNames.has(name)) known.add(`${name}_FILE`)
    const value = env[name]?.trim() || undefined
    return secretNames.has(name) ? (readSecretFile(env, name, value) ?? value) : value
  }

  /** Reads a variable with `parse`, which reports invalid values with `bad`. */
  function read<T>(name: string, parse: Parse<T>): T | undefined {
    const value = text(name)
    const bad: Bad = (expected, shown = JSON.stringify(value)) => badSetting(name, shown, expected)
    return value === undefined ? undefined : parse(value, bad)
  }
  const integer = (name: string, fallback: number, min: number, max: number): number =>
    read(name, kind.wholeNumber(min, max)) ?? fallback
  const days = (name: string, fallback: number): number => integer(name, fallback, 0, 36_500)
  const path = (name: string): string | undefined => read(name, (value) => resolve(value))
  const provider = (prefix: string) => ({
    apiKey: text(`${prefix}_API_KEY`),
    baseUrl: read(`${prefix}_BASE_URL`, kind.httpUrl),
  })
  const rateLimitPerMinute = integer('MUSTER_RATE_LIMIT', 600, 0, 10_000_000)
  const config: Omit<Config, 'unknownSettings'> = {
    databaseUrl: read('DATABASE_URL', kind.databaseUrl),
    intervals,
    connections: {
      database: integer('MUSTER_DATABASE_CONNECTIONS', defaultPoolSizes.database, 1, 1_000),
      reads: integer('MUSTER_DATABASE_READ_CONNECTIONS', defaultPoolSizes.reads, 1, 1_000),
    },
    dataDir: path('MUSTER_DATA_DIR') ?? resolve('.muster'),
    host: text('HOST') ?? '127.0.0.1',
    port: integer('PORT', 3000, 0, 65_535),
    metricsPort: read('MUSTER_METRICS_PORT', kind.wholeNumber(0, 65_535)),
    secretKey: read('MUSTER_SECRET_KEY', kind.secretKey),
    otherSecretKeys: read('MUSTER_SECRET_KEYS', kind.secretKeys) ?? [],
    adminKey: read('MUSTER_ADMIN_KEY', kind.adminKey),
    operatorKey: read('MUSTER_OPERATOR_KEY', kind.adminKey),
    defaultModel: text('MUSTER_DEFAULT_MODEL'),
    modelsFile: path('MUSTER_MODELS_FILE'),
    sharesModelKeys: read('MUSTER_SHARE_MODEL_KEYS', kind.onOrOff) !== 'off',
    fineTunesFile: path('MUSTER_FINE_TUNES_FILE'),
    fineTunesPerAccount: integer('MUSTER_FINE_TUNES_PER_ACCOUNT', 10, 1, 10_000),
    runConcurrency: integer('MUSTER_RUN_CONCURRENCY', 500, 1, 10_000),
    accountConcurrency: integer('MUSTER_ACCOUNT_CONCURRENCY', 100, 1, 100_000),
    fileBytesPerAccount: integer('MUSTER_ACCOUNT_FILES_MB', 1024, 0, 100_000_000) * 1024 * 1024,
    files: files(read('MUSTER_FILES_URL', kind.s3), read('MUSTER_FILES_OTHER_URLS', kind.s3List), {
      accessKeyId: text('MUSTER_FILES_ACCESS_KEY_ID'),
      secretAccessKey: text('MUSTER_FILES_SECRET_ACCESS_KEY'),
    }),
    docs: read('MUSTER_DOCS', kind.onOrOff) !== 'off',
    publicUrl: read('MUSTER_PUBLIC_URL', kind.publicUrl),
    trustedProxies: read('MUSTER_TRUSTED_PROXIES', kind.proxies) ?? [],
    oidc: oidc(read('MUSTER_OIDC_ISSUER', kind.issuer), text('MUSTER_OIDC_CLIENT_ID'), {
      clientSecret: text('MUSTER_OIDC_CLIENT_SECRET'),
      clientAuth: read('MUSTER_OIDC_CLIENT_AUTH', kind.clientAuth),
      defaultRole: read('MUSTER_OIDC_DEFAULT_ROLE', kind.role),
      allowedDomains: read('MUSTER_OIDC_ALLOWED_DOMAINS', kind.domains)?.map(kind.lowerCase) ?? [],
      assumesVerifiedEmail: read('MUSTER_OIDC_ASSUME_EMAIL_VERIFIED', kind.onOrOff) === 'on',
    }),
    leaseMs: 1_000 * (read('MUSTER_LEASE_SECONDS', kind.leaseSeconds) ?? 4),
    rateLimitPerMinute,
    accountRateLimitPerMinute: integer(
      'MUSTER_ACCOUNT_RATE_LIMIT',
      10 * rateLimitPerMinute,
      0,
      100_000_000,
    ),
    accountBytesPerMinute:
      integer('MUSTER_ACCOUNT_RATE_MB', rateLimitPerMinute === 0 ? 0 : 120, 0, 1_000_000) *
      1_000_000,
    corsOrigins: read('MUSTER_CORS_ORIGINS', kind.corsOrigins) ?? [],
    providers: Object.fromEntries(
      builtInProviders.map(({ id, envPrefix }) => [id, provider(envPrefix)]),
    ) as Config['providers'],
    tools: {
      timeoutMs: 1_000 * integer('MUSTER_TOOL_TIMEOUT', 30, 1, 600),
      smtp: smtp(read('MUSTER_SMTP_URL', kind.smtpServer), text('MUSTER_EMAIL_FROM')),
      apiUrls: Object.fromEntries(
        builtInConnectors.flatMap(({ id, api }) =>
          api === undefined ? [] : [[id, read(api.variable, kind.httpUrl) ?? api.url]],
        ),
      ),
    },
    egressProxy: read('MUSTER_EGRESS_PROXY', kind.egressProxy),
    allowedNetworks: parseAllowedNetworks(text('MUSTER_ALLOWED_NETWORKS')),
    webhookSchedule:
      read('MUSTER_WEBHOOK_SCHEDULE', kind.webhookSchedule)?.map(Number) ?? defaultSchedule,
    retention: {
      eventsDays: days('MUSTER_RETAIN_EVENTS_DAYS', 90),
      transcriptsDays: days('MUSTER_RETAIN_TRANSCRIPTS_DAYS', 90),
      deliveriesDays: days('MUSTER_RETAIN_DELIVERIES_DAYS', 30),
      auditDays: days('MUSTER_RETAIN_AUDIT_DAYS', 400),
      runsDays: days('MUSTER_RETAIN_RUNS_DAYS', 0),
    },
    trustsPromotion: read('MUSTER_PROMOTION', kind.promotion) === 'trust',
    logLevel: read('LOG_LEVEL', kind.logLevel) ?? 'info',
    otlpEndpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT', kind.httpUrl),
    capturesContent: read(contentSetting, kind.contentCapture) ?? false,
  }
  if (config.metricsPort === config.port && config.port !== 0) {
    throw badSetting('MUSTER_METRICS_PORT', String(config.port), 'another port than PORT')
  }
  return { ...config, unknownSettings: findUnknownSettings(env, known) }
}

/** The address that clients on this machine use to reach the API. */
export function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const local = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${isIP(local) === 6 ? `[${local}]` : local}:${port}`
}

/**
 * Secrets, which may also be read from a file that `NAME_FILE` names, as orchestrators mount them.
 */
const secretNames = new Set([
  'DATABASE_URL',
  'MUSTER_SECRET_KEY',
  'MUSTER_SECRET_KEYS',
  'MUSTER_ADMIN_KEY',
  'MUSTER_OPERATOR_KEY',
  'MUSTER_OIDC_CLIENT_SECRET',
  'MUSTER_SMTP_URL',
  'MUSTER_EGRESS_PROXY',
  'MUSTER_FILES_URL',
  'MUSTER_FILES_OTHER_URLS',
  'MUSTER_FILES_ACCESS_KEY_ID',
  'MUSTER_FILES_SECRET_ACCESS_KEY',
  ...builtInProviders.map(keyNameOf),
])
const maxSecretBytes = 64 * 1024

function readSecretFile(
  env: Record<string, string | undefined>,
  name: string,
  value: string | undefined,
): string | undefined {
  const path = env[`${name}_FILE`]?.trim() || undefined
  if (path === undefined) return undefined
  const shown = JSON.stringify(path)
  if (value !== undefined) throw badSetting(`${name}_FILE`, shown, `${name} or this, not both`)
  let secret: string
  try {
    secret = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw badSetting(`${name}_FILE`, shown, `a file that can be read (${(error as Error).message})`)
  }
  if (secret !== '' && secret.length <= maxSecretBytes) return secret
  throw badSetting(`${name}_FILE`, shown, `a file with 1 to ${maxSecretBytes} characters`)
}

const intervals = {
  alertsMs: 15_000,
  /** Interval for active batches; four times as long if there are none. */
  batchesMs: 250,
  /** Messages are taken at once; this is for those whose notice was lost. */
  threadsMs: 1_000,
  channelsMs: 1_000,
  remindersMs: 15_000,
  bulkOperationsMs: 1_000,
  deliveriesMs: 1_000,
  documentsMs: 60_000,
  erasureMs: 5_000,
  /** Requests that started before an account was deleted have ended after this time. */
  erasureSettlesMs: 120_000,
  expiryMs: 2_000,
  filesMs: 5_000,
  fineTunesMs: 1_000,
  loginsMs: 1_000,
  mailboxesMs: 1_000,
  measureMs: 60_000,
  /** Interval for leases and times of calls that workers of accounts execute. */
  requestsMs: 1_000,
  retentionMs: 60_000,
  usageMs: 2_000,
  runWordsMs: 1_000,
  schedulesMs: 1_000,
  hooksMs: 1_000,
  /** Timeout for the body of an incoming hook. */
  hookBodyMs: 10_000,
}

/** Eight attempts over about 28 hours. */
const defaultSchedule = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000]

/** Stores of files, each with the credentials in its URL, or else in the environment. */
function files(
  store: kind.S3Url | undefined,
  others: kind.S3Url[] = [],
  { accessKeyId, secretAccessKey }: { [K in keyof S3Keys]: string | undefined },
): FilesConfig {
  const withKeys = ({ keys, ...settings }: kind.S3Url): S3Settings => {
    if (keys !== null) return { ...settings, ...keys }
    if (accessKeyId !== undefined && secretAccessKey !== undefined) {
      return { ...settings, accessKeyId, secretAccessKey }
    }
    const missing = accessKeyId === undefined ? 'ACCESS_KEY_ID' : 'SECRET_ACCESS_KEY'
    throw badSetting(`MUSTER_FILES_${missing}`, 'unset', `a text, as ${settings.name} is a store`)
  }
  const names = [...(store === undefined ? [] : [store]), ...others].map(({ name }) => name)
  const twice = names.find((name, place) => names.indexOf(name) < place)
  if (twice !== undefined) throw badSetting('MUSTER_FILES_OTHER_URLS', twice, 'each store once')
  return { store: store && withKeys(store), otherStores: others.map(withKeys) }
}

/** The operator's mail server, with its sender. */
function smtp(server: Record<string, unknown> | undefined, from = ''): ToolSettings['smtp'] {
  if (server === undefined) {
    if (from === '') return undefined
    throw badSetting('MUSTER_SMTP_URL', 'unset', 'a URL, as MUSTER_EMAIL_FROM is set')
  }
  if (from.length <= 254 && new RegExp(sender, 'u').test(from)) return { ...server, from }
  const expected = 'an address such as Muster <muster@example.com>'
  throw badSetting('MUSTER_EMAIL_FROM', JSON.stringify(from), expected)
}

function oidc(
  issuer: URL | undefined,
  clientId: string | undefined,
  others: Omit<OidcSettings, 'issuer' | 'clientId'>,
): OidcSettings | undefined {
  if (issuer === undefined) return undefined
  if (others.clientAuth !== undefined && others.clientSecret === undefined) {
    throw badSetting(
      'MUSTER_OIDC_CLIENT_SECRET',
      'unset',
      'a text, as MUSTER_OIDC_CLIENT_AUTH is set',
    )
  }
  if (clientId !== undefined) return { issuer, clientId, ...others }
  throw badSetting('MUSTER_OIDC_CLIENT_ID', 'unset', 'a text, as MUSTER_OIDC_ISSUER is set')
}
