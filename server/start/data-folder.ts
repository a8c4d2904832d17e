import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The keys that Muster keeps for itself in the data folder of an embedded database, mode 0600. */
const adminKeyFile = 'admin-key'
/** Where the service of this folder listens, for those who send it that key. */
const addressFile = 'address'
const secretKeyFile = 'secret-key'

/** The key that encrypts stored secrets; made at the first start. */
export async function ensureSecretKey(dataDir: string): Promise<Buffer> {
  const made = randomBytes(32).toString('base64')
  try {
    await writePrivate(dataDir, secretKeyFile, made, 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return Buffer.from(await readFile(join(dataDir, secretKeyFile), 'utf8'), 'base64')
}

export async function saveAdminKey(dataDir: string, key: string): Promise<void> {
  await writePrivate(dataDir, adminKeyFile, key, 'w')
}

export async function saveAddress(dataDir: string, address: string): Promise<void> {
  await writePrivate(dataDir, addressFile, address, 'w')
}

/** The admin key of this data folder; undefined where there is none. */
export async function readAdminKey(dataDir: string): Promise<string | undefined> {
  return readFile(join(dataDir, adminKeyFile), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
}

async function writePrivate(
  dataDir: string,
  name: string,
  text: string,
  flag: 'w' | 'wx',
): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  await writeFile(join(dataDir, name), `${text}\n`, { mode: 0o600, flag })
}
