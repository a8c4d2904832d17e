import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Command } from 'commander'
import { Muster } from '../sdk/index.ts'
import { exitCodes } from './exit-codes.ts'
import { CliError, usageError } from './failure.ts'
import { readText } from './read-text.ts'
import { shell } from './shell.ts'

const maxEnvFileBytes = 64 * 1024

/** A client of the service that the options, the environment and `.env` name. */
export async function connect(command: Command, env = shell().env): Promise<Muster> {
  const { url } = command.optsWithGlobals<{ url?: string }>()
  const settings = await addEnvFile(env, url)
  const baseUrl = findUrl(url, settings)
  const apiKey = await findKey(baseUrl, settings)
  return new Muster({ apiKey, baseUrl })
}

/**
 * What `.env` may add, since it can be a stranger's: where on this machine the service is, and
 * address and key together. A key never goes to an address from the other place.
 */
async function addEnvFile(
  env: NodeJS.ProcessEnv,
  url: string | undefined,
): Promise<NodeJS.ProcessEnv> {
  if (!existsSync(resolve(shell().cwd(), '.env'))) return env
  const file = parseEnv(await readText('.env', maxEnvFileBytes))
  const isSaid = [url, env['MUSTER_URL'], env['MUSTER_API_KEY']].some((text) => text?.trim())
  const names = ['PORT', 'MUSTER_DATA_DIR', ...(isSaid ? [] : ['MUSTER_URL', 'MUSTER_API_KEY'])]
  return { ...Object.fromEntries(names.map((name) => [name, file[name]])), ...env }
}

function findUrl(option: string | undefined, env: NodeJS.ProcessEnv): string {
  const text = option ?? (env['MUSTER_URL']?.trim() || undefined)
  if (text === undefined) return `http://127.0.0.1:${findPort(env['PORT'])}`
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    const name = option === undefined ? 'MUSTER_URL' : '--url'
    throw usageError(`${name} is ${JSON.stringify(text)}, expected an http:// or https:// URL`)
  }
  return text
}

function findPort(text: string | undefined): string {
  const port = text?.trim() || '3000'
  if (/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535) return port
  throw usageError(`PORT is ${JSON.stringify(port)}: say with --url where the service is`)
}

/** The key of the data folder is the local service's and is sent to no other machine. */
async function findKey(baseUrl: string, env: NodeJS.ProcessEnv): Promise<string> {
  const key = env['MUSTER_API_KEY']?.trim()
  if (key) return key
  const dataDir = resolve(shell().cwd(), env['MUSTER_DATA_DIR']?.trim() || '.muster')
  const isLocal = isLoopback(new URL(baseUrl).hostname)
  const adminKey = isLocal && (await readFile(join(dataDir, 'admin-key'), 'utf8').catch(() => ''))
  if (adminKey) return adminKey.trim()
  const why = isLocal ? `no key is in the data folder ${dataDir}` : `${baseUrl} is another machine`
  throw new CliError(
    exitCodes.notAuthorised,
    'missing_api_key',
    `No API key: set MUSTER_API_KEY (${why})`,
  )
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
