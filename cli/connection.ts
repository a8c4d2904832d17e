import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Command } from 'commander'
import { Muster } from '../sdk/index.ts'
import { exitCodes } from './exit-codes.ts'
import { CliError, usageError } from './failure.ts'
import { readCurrentProfile, readProfile, type Profile } from './profiles/stored.ts'
import { readText } from './read-text.ts'
import { programName, shell } from './shell.ts'

const maxEnvFileBytes = 64 * 1024
const maxKeyBytes = 4_096

/** A client for the service that the options, the environment, `.env` or a profile name. */
export async function connect(command: Command, env = shell().env): Promise<Muster> {
  return connectBy(command.optsWithGlobals<Place>(), env)
}

/** Options of all commands. */
export interface Place {
  url?: string
  profile?: string
}

export async function connectBy({ url, profile }: Place, env = shell().env): Promise<Muster> {
  if (profile !== undefined && url !== undefined)
    throw usageError('--profile and --url are two addresses, give one of them')
  if (profile !== undefined) return fromProfile(await readProfile(profile))
  const isSaid = [url, env['MUSTER_URL'], env['PORT']].some((text) => text?.trim())
  const hasKey = [env['MUSTER_API_KEY'], env['MUSTER_API_KEY_FILE']].some((text) => text?.trim())
  const named = env['MUSTER_PROFILE']?.trim()
  if (named && !isSaid && !hasKey) return fromProfile(await readProfile(named))
  const settings = await addEnvFile(env, url)
  const apiKey = await findApiKey(settings)
  if (apiKey) return new Muster({ apiKey: checkKey(apiKey), baseUrl: findUrl(url, settings) })
  const isInFile = [settings['MUSTER_URL'], settings['PORT']].some((text) => text?.trim())
  if (!isSaid && !isInFile && (await readKept(settings, 'admin-key')) === undefined) {
    // A service of this folder comes before the profile of all folders.
    const stored = await readCurrentProfile()
    if (stored !== undefined) return fromProfile(stored)
  }
  const baseUrl = isSaid ? findUrl(url, settings) : await findOwnUrl(settings)
  return new Muster({ apiKey: checkKey(await readAdminKey(baseUrl, settings)), baseUrl })
}

function fromProfile({ url, api_key: apiKey }: Profile): Muster {
  return new Muster({ baseUrl: url, apiKey: checkKey(apiKey) })
}

/** `MUSTER_API_KEY`, or the file that `MUSTER_API_KEY_FILE` names, as orchestrators mount secrets. */
async function findApiKey(env: NodeJS.Dict<string>): Promise<string | undefined> {
  const apiKey = env['MUSTER_API_KEY']?.trim() || undefined
  const file = env['MUSTER_API_KEY_FILE']?.trim() || undefined
  if (file === undefined) return apiKey
  if (apiKey !== undefined) throw usageError('Set MUSTER_API_KEY or MUSTER_API_KEY_FILE, not both')
  const text = (await readText(file, maxKeyBytes)).trim()
  if (text !== '') return text
  throw new CliError(exitCodes.notAuthorised, 'missing_api_key', `No API key: ${file} is empty`)
}

/** The variables of `.env` in the current folder, if it exists. */
export async function readEnvFile(): Promise<NodeJS.Dict<string> | undefined> {
  if (!existsSync(resolve(shell().cwd(), '.env'))) return undefined
  return parseEnv(await readText('.env', maxEnvFileBytes))
}

/**
 * Adds settings from `.env`, which may come from a stranger: the data folder, and address and key
 * only as a pair, if neither is set elsewhere. A key is never combined with an address from another
 * source.
 */
async function addEnvFile(
  env: NodeJS.ProcessEnv,
  url: string | undefined,
): Promise<NodeJS.ProcessEnv> {
  const file = await readEnvFile()
  if (file === undefined) return env
  // Not `MUSTER_API_KEY_FILE`: the file of a stranger would name any file of this user as the key.
  const own = ['MUSTER_URL', 'MUSTER_API_KEY', 'MUSTER_API_KEY_FILE']
  const isSaid = [url, ...own.map((name) => env[name])].some((text) => text?.trim())
  const names = ['MUSTER_DATA_DIR', ...(isSaid ? [] : ['PORT', 'MUSTER_URL', 'MUSTER_API_KEY'])]
  return { ...Object.fromEntries(names.map((name) => [name, file[name]])), ...env }
}

/**
 * The address of the data folder's service, which is stored beside its key. So a `.env` cannot send
 * that key elsewhere.
 */
async function findOwnUrl(settings: NodeJS.ProcessEnv): Promise<string> {
  const named = [settings['MUSTER_URL'], settings['PORT']].some((text) => text?.trim())
  const kept = await findKept(settings)
  if (kept !== null && !named)
    return `http://${isLoopback(kept.hostname) ? kept.host : `127.0.0.1:${kept.port}`}`
  const baseUrl = findUrl(undefined, settings)
  if (!named) return baseUrl
  const url = new URL(baseUrl)
  if (kept !== null && kept.port === url.port && isLoopback(url.hostname)) return baseUrl
  const where = kept === null ? 'has not said where it listens' : `listens on port ${kept.port}`
  throw new CliError(
    exitCodes.notAuthorised,
    'other_address',
    `.env names ${url.origin}, but the service of ${dataFolder(settings)} ${where}: ` +
      'name the address with --url if the key of that folder may go there',
  )
}

/** The address that the data folder's service has stored. */
export async function findKept(env: NodeJS.ProcessEnv): Promise<URL | null> {
  return URL.parse((await readKept(env, 'address')) ?? '')
}

export function findUrl(option: string | undefined, env: NodeJS.ProcessEnv): string {
  const text = option ?? (env['MUSTER_URL']?.trim() || undefined)
  if (text === undefined) return `http://${findHost(env['HOST'])}:${findPort(env['PORT'])}`
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    const name = option === undefined ? 'MUSTER_URL' : '--url'
    throw usageError(`${name} is ${JSON.stringify(text)}, expected an http:// or https:// URL`)
  }
  return text
}

/**
 * `HOST` as the service reads it, if it is this machine: shells set the variable too, to the
 * machine's name.
 */
function findHost(text: string | undefined): string {
  const host = text?.trim() ?? ''
  if (!isLoopback(host)) return '127.0.0.1'
  return host.includes(':') ? `[${host.replaceAll(/[[\]]/g, '')}]` : host
}

function findPort(text: string | undefined): string {
  const port = text?.trim() || '3000'
  if (/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535) return port
  throw usageError(`PORT is ${JSON.stringify(port)}: set the service's address with --url`)
}

/** Distinguishes a key that is not a valid header value from an unreachable service. */
export function checkKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  const why =
    'it has characters that no key has, check MUSTER_API_KEY or the key of the data folder'
  throw new CliError(exitCodes.notAuthorised, 'invalid_api_key', `Cannot use the API key: ${why}`)
}

/**
 * The key of the data folder belongs to the local service, and is not sent to any other machine.
 */
async function readAdminKey(baseUrl: string, env: NodeJS.ProcessEnv): Promise<string> {
  const isLocal = isLoopback(new URL(baseUrl).hostname)
  const key = isLocal ? await readKept(env, 'admin-key') : undefined
  if (key !== undefined) return key
  const why = isLocal
    ? `no key is in the data folder ${dataFolder(env)}`
    : `${baseUrl} is another machine`
  throw new CliError(
    exitCodes.notAuthorised,
    'missing_api_key',
    `No API key: set MUSTER_API_KEY, or run ${programName()} login (${why})`,
  )
}

function dataFolder(env: NodeJS.ProcessEnv): string {
  return resolve(shell().cwd(), env['MUSTER_DATA_DIR']?.trim() || '.muster')
}

async function readKept(
  env: NodeJS.ProcessEnv,
  name: 'admin-key' | 'address',
): Promise<string | undefined> {
  const text = await readFile(join(dataFolder(env), name), 'utf8').catch(() => '')
  return text.trim() || undefined
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
