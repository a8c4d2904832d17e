import { randomBytes, randomUUID } from 'node:crypto'
import { link, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { ConfigError } from '../config-error.ts'
import { makeDataFolder } from '../make-folder.ts'

/**
 * The files of keys that Muster generates in the data folder of an embedded database, mode 0600.
 */
const adminKeyFile = 'admin-key'
/** File with the address of the service that uses this folder, for the CLI. */
const addressFile = 'address'
const secretKeyFile = 'secret-key'

/** The path for messages, relative to the current folder. */
export function adminKeyPath(dataDir: string): string {
  return relative('', join(dataDir, adminKeyFile))
}

/** The key that encrypts stored secrets; generated at the first start. */
export async function ensureSecretKey(dataDir: string): Promise<Buffer> {
  const found = await readSecretKey(dataDir)
  if (found !== undefined) return found
  try {
    await makeSecretKey(dataDir, randomBytes(32))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return Buffer.from(await readFile(join(dataDir, secretKeyFile), 'utf8'), 'base64')
}

/** The key of this data folder; undefined if there is none. */
export async function readSecretKey(dataDir: string): Promise<Buffer | undefined> {
  const text = await readFile(join(dataDir, secretKeyFile), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Buffer.from(text, 'base64')
}

/** Stores the key of a backup, but never replaces an existing, different key. */
export async function keepSecretKey(dataDir: string, key: Buffer): Promise<void> {
  const found = await readSecretKey(dataDir)
  if (found === undefined) {
    await makeSecretKey(dataDir, key)
  } else if (!found.equals(key)) {
    throw new ConfigError(
      `Cannot restore: ${join(dataDir, secretKeyFile)} is another key than that of the backup; ` +
        `move it away, or set MUSTER_DATA_DIR to another folder`,
    )
  }
}

/**
 * Written atomically and synced before anything is encrypted with it, so that neither a kill nor a
 * full disk leaves a partial key.
 */
async function makeSecretKey(dataDir: string, key: Buffer): Promise<void> {
  const temporary = `${secretKeyFile}.${randomUUID()}`
  const path = join(dataDir, temporary)
  try {
    await writePrivate(dataDir, temporary, key.toString('base64'))
    await link(path, join(dataDir, secretKeyFile))
    await using folder = await open(dataDir)
    await folder.sync()
  } finally {
    await rm(path, { force: true })
  }
}

export async function saveAdminKey(dataDir: string, key: string): Promise<void> {
  await writePrivate(dataDir, adminKeyFile, key)
}

export async function saveAddress(dataDir: string, address: string): Promise<void> {
  await writePrivate(dataDir, addressFile, address)
}

/** The admin key of this data folder; undefined if there is none. */
export async function readAdminKey(dataDir: string): Promise<string | undefined> {
  return readFile(join(dataDir, adminKeyFile), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
}

async function writePrivate(dataDir: string, name: string, text: string): Promise<void> {
  await makeDataFolder(dataDir)
  await writeFile(join(dataDir, name), `${text}\n`, { mode: 0o600, flush: true })
}
