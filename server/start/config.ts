import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseAllowedNetworks, type AllowedNetworks } from '../outbound/allowed-networks.ts'
import type { Retention } from '../retention/retention.ts'
import type { ToolSettings } from '../tools/connector.ts'
import { sender } from '../tools/email-address.ts'

/**
 * Environment to `Config`, pure. A bad value throws a `ConfigError` whose one-line message names the
 * variable, the value and what is accepted.
 */
export interface Config {
  /** PostgreSQL connection string; undefined means the embedded server in `dataDir`. */
  databaseUrl: string | undefined
  /** Absolute folder of the embedded database and of the keys that Muster makes for itself. */
  dataDir: string
  host: string
  port: number
  /** Port of `/metrics` when it shall not be on the main one. */
  metricsPort: number | undefined
  /** 32 bytes that encrypt stored secrets; undefined until made or set. */
  secretKey: Buffer | undefined
  /** The first admin key of an empty database, in place of a random one. */
  adminKey: string | undefined
  defaultModel: string | undefined
  modelsFile: string | undefined
  fineTunesFile: string | undefined
  /** Fine-tunes of an account that have not ended. */
  fineTunesPerAccount: number
  /** Runs in progress per process. */
  runConcurrency: number
  /** Runs in progress per account over all processes. */
  accountConcurrency: number
  /** A worker that does not renew its lease of a run for so long loses the run. */
  leaseMs: number
  /** Requests per minute and API key; 0 switches the limit off. */
  rateLimitPerMinute: number
  providers: Record<ProviderName, { apiKey: string | undefined; baseUrl: string | undefined }>
  tools: ToolSettings
  /** Networks that users' addresses may reach although they are private. */
  allowedNetworks: AllowedNetworks
  /** Seconds before each attempt of a webhook delivery. */
  webhookSchedule: readonly number[]
  retention: Retention
  logLevel: LogLevel
  otlpEndpoint: string | undefined
}

/** Eight attempts over about 28 hours. */
const defaultSchedule = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000]

export type ProviderName = 'openai' | 'anthropic' | 'google' | 'mistral'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
type LogLevel = (typeof logLevels)[number]

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** `cause` is told as well, where the system said why. */
export function badSetting(
  name: string,
  shown: string,
  accepted: string,
  cause?: unknown,
): ConfigError {
  const why = cause instanceof Error ? ` (${cause.message})` : ''
  return new ConfigError(`Cannot start: ${name} is ${shown}, expected ${accepted}${why}`, {
    cause,
  })
}

type Env = Record<string, string | undefined>

export function readConfig(env: Env): Config {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined
  return {
    databaseUrl: databaseUrl(text('DATABASE_URL')),
    dataDir: resolve(text('MUSTER_DATA_DIR') ?? '.muster'),
    host: text('HOST') ?? '127.0.0.1',
    port: integer('PORT', text('PORT'), 3000, 0, 65_535),
    metricsPort: optional(text('MUSTER_METRICS_PORT'), (value) =>
      integer('MUSTER_METRICS_PORT', value, 0, 0, 65_535),
    ),
    secretKey: optional(text('MUSTER_SECRET_KEY'), secretKey),
    adminKey: optional(text('MUSTER_ADMIN_KEY'), adminKey),
    defaultModel: text('MUSTER_DEFAULT_MODEL'),
    modelsFile: optional(text('MUSTER_MODELS_FILE'), (path) => resolve(path)),
    fineTunesFile: optional(text('MUSTER_FINE_TUNES_FILE'), (path) => resolve(path)),
    fineTunesPerAccount: integer(
      'MUSTER_FINE_TUNES_PER_ACCOUNT',
      text('MUSTER_FINE_TUNES_PER_ACCOUNT'),
      10,
      1,
      10_000,
    ),
    runConcurrency: integer(
      'MUSTER_RUN_CONCURRENCY',
      text('MUSTER_RUN_CONCURRENCY'),
      500,
      1,
      10_000,
    ),
    accountConcurrency: integer(
      'MUSTER_ACCOUNT_CONCURRENCY',
      text('MUSTER_ACCOUNT_CONCURRENCY'),
      100,
      1,
      100_000,
    ),
    leaseMs: 1_000 * seconds('MUSTER_LEASE_SECONDS', text('MUSTER_LEASE_SECONDS'), 4, 0.2, 60),
    rateLimitPerMinute: integer('MUSTER_RATE_LIMIT', text('MUSTER_RATE_LIMIT'), 600, 0, 10_000_000),
    providers: {
      openai: provider('OPENAI', 'OPENAI_API_KEY'),
      anthropic: provider('ANTHROPIC', 'ANTHROPIC_API_KEY'),
      google: provider('GOOGLE_GENERATIVE_AI', 'GOOGLE_GENERATIVE_AI_API_KEY'),
      mistral: provider('MISTRAL', 'MISTRAL_API_KEY'),
    },
    tools: {
      timeoutMs: 1_000 * integer('MUSTER_TOOL_TIMEOUT', text('MUSTER_TOOL_TIMEOUT'), 30, 1, 600),
      smtp: smtp(text('MUSTER_SMTP_URL'), text('MUSTER_EMAIL_FROM')),
      hubspotUrl: apiUrl('HUBSPOT_BASE_URL', 'https://api.hubapi.com'),
      slackUrl: apiUrl('SLACK_BASE_URL', 'https://slack.com'),
      searchUrl: apiUrl('BRAVE_SEARCH_BASE_URL', 'https://api.search.brave.com'),
    },
    allowedNetworks: allowedNetworks(text('MUSTER_ALLOWED_NETWORKS')),
    webhookSchedule: optional(text('MUSTER_WEBHOOK_SCHEDULE'), webhookSchedule) ?? defaultSchedule,
    retention: {
      eventsDays: days('MUSTER_RETAIN_EVENTS_DAYS', 90),
      transcriptsDays: days('MUSTER_RETAIN_TRANSCRIPTS_DAYS', 90),
      deliveriesDays: days('MUSTER_RETAIN_DELIVERIES_DAYS', 30),
      runsDays: days('MUSTER_RETAIN_RUNS_DAYS', 0),
    },
    logLevel: oneOf('LOG_LEVEL', text('LOG_LEVEL') ?? 'info', logLevels),
    otlpEndpoint: optional(text('OTEL_EXPORTER_OTLP_ENDPOINT'), (value) =>
      httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT', value),
    ),
  }

  function days(name: string, fallback: number): number {
    return integer(name, text(name), fallback, 0, 36_500)
  }

  function apiUrl(name: string, fallback: string): string {
    return optional(text(name), (value) => httpUrl(name, value)) ?? fallback
  }

  function provider(prefix: string, keyName: string): Config['providers'][ProviderName] {
    const name = `${prefix}_BASE_URL`
    return {
      apiKey: text(keyName),
      baseUrl: optional(text(name), (value) => httpUrl(name, value)),
    }
  }
}

/** The address that clients on this machine use to reach the API. */
export function localUrl(config: Pick<Config, 'host' | 'port'>): string {
  const host =
    config.host === '0.0.0.0'
      ? '127.0.0.1'
      : config.host === '::'
        ? '[::1]'
        : bracketed(config.host)
  return `http://${host}:${config.port}`
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}

function optional<T>(value: string | undefined, parse: (value: string) => T): T | undefined {
  return value === undefined ? undefined : parse(value)
}

function integer(
  name: string,
  value: string | undefined,
  fallback: number,
  min: number,
  max: number,
): number {
  if (value === undefined) return fallback
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw badSetting(name, JSON.stringify(value), `a whole number from ${min} to ${max}`)
  }
  return number
}

function seconds(
  name: string,
  value: string | undefined,
  fallback: number,
  min: number,
  max: number,
): number {
  if (value === undefined) return fallback
  const number = Number(value)
  if (!/^\d+(\.\d+)?$/.test(value) || number < min || number > max) {
    throw badSetting(name, JSON.stringify(value), `a number of seconds from ${min} to ${max}`)
  }
  return number
}

function oneOf<T extends string>(name: string, value: string, accepted: readonly T[]): T {
  const found = accepted.find((candidate) => candidate === value)
  if (found === undefined) throw badSetting(name, JSON.stringify(value), accepted.join(', '))
  return found
}

function httpUrl(name: string, value: string): string {
  const url = URL.parse(value)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw badSetting(name, JSON.stringify(value), 'an http:// or https:// URL')
  }
  return value.replace(/\/+$/, '')
}

// Values that can hold a password or a key are never shown whole.
function databaseUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const url = URL.parse(value)
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    const shown = url === null ? 'not a URL' : `a ${url.protocol}// URL`
    throw badSetting('DATABASE_URL', shown, 'postgresql://user:password@host:5432/database')
  }
  return value
}

function secretKey(value: string): Buffer {
  const key = Buffer.from(value, 'base64')
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value) || key.length !== 32) {
    const shown = `a text of ${value.length} characters`
    throw badSetting('MUSTER_SECRET_KEY', shown, '32 bytes in base64 (openssl rand -base64 32)')
  }
  return key
}

// May hold a password, so it is never shown.
function smtp(value: string | undefined, from: string | undefined): ToolSettings['smtp'] {
  if (value === undefined && from === undefined) return undefined
  if (value === undefined)
    throw badSetting('MUSTER_SMTP_URL', 'unset', 'a URL, as MUSTER_EMAIL_FROM is set')
  const url = URL.parse(value)
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw badSetting(
      'MUSTER_SMTP_URL',
      'not an SMTP URL',
      'smtp://user:password@host:587 or smtps://…:465',
    )
  }
  const secure = url.protocol === 'smtps:'
  if (from === undefined || from.length > 254 || !new RegExp(sender).test(from)) {
    const shown = JSON.stringify(from ?? '')
    throw badSetting('MUSTER_EMAIL_FROM', shown, 'an address such as Muster <muster@example.com>')
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(url.username === '' ? {} : { user: decodePart(url.username) }),
    ...(url.password === '' ? {} : { pass: decodePart(url.password) }),
    from,
  }
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badSetting('MUSTER_SMTP_URL', 'not well encoded', 'special characters as %XX')
  }
}

function allowedNetworks(value: string | undefined): AllowedNetworks {
  try {
    return parseAllowedNetworks(value)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

function webhookSchedule(value: string): number[] {
  const steps = value.split(',').map((step) => step.trim())
  const isGood = (step: string) => /^\d+(\.\d+)?$/.test(step) && Number(step) <= 2_592_000
  if (steps.length > 20 || !steps.every(isGood)) {
    throw badSetting(
      'MUSTER_WEBHOOK_SCHEDULE',
      JSON.stringify(value),
      '1 to 20 numbers of seconds with commas between, such as 0,5,300',
    )
  }
  return steps.map(Number)
}

function adminKey(value: string): string {
  if (!/^[A-Za-z0-9_-]{32,200}$/.test(value)) {
    const shown = `a text of ${value.length} characters`
    throw badSetting('MUSTER_ADMIN_KEY', shown, '32 to 200 characters of A-Z a-z 0-9 _ -')
  }
  return value
}
