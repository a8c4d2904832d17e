import type { Logger } from 'pino'
import { badSetting, ConfigError } from '../config-error.ts'
import type { Database } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { SecretBox } from '../secret-box.ts'
import type { Config } from './config.ts'
import { ensureSecretKey } from './data-folder.ts'
import * as store from './secrets-store.ts'

/**
 * Opens the secret box of this deployment. The first start encrypts a check value in the database:
 * a process that cannot decrypt it has the wrong key, and does not start.
 */
export async function openSecrets(
  database: Database,
  config: Config,
  log: Logger,
): Promise<SecretBox> {
  const secrets = new SecretBox(await findSecretKeys(config))
  const check = await store.findCheck(database)
  if (check !== undefined) assertOpens(secrets, check)
  else if (secrets.keyId === undefined) {
    log.warn('MUSTER_SECRET_KEY is not set: requests that store a secret will be refused')
  } else {
    await store.keepCheck(database, seal(secrets))
    // Another process may have been first.
    const kept = await store.findCheck(database)
    if (kept !== undefined) assertOpens(secrets, kept)
  }
  return secrets
}

/**
 * Throws for a key that cannot decrypt the stored secrets: a wrong key, or the next one before the
 * rotation has finished.
 */
export async function assertKeyOfBackup(database: Database, key: Buffer): Promise<void> {
  const check = await store.findCheck(database)
  if (check === undefined) return
  try {
    assertOpens(new SecretBox([key]), check)
  } catch (error) {
    throw new ConfigError(
      'Cannot back up the secret key: MUSTER_SECRET_KEY does not open all stored secrets; set it to their key, or ' +
        'run muster rotate-secrets first',
      { cause: error },
    )
  }
}

/** Encrypts values again that are encrypted with an old key. */
export async function rotateSecrets(database: Database, config: Config): Promise<Rotated> {
  const secrets = new SecretBox(await findSecretKeys(config))
  const check = await store.findCheck(database)
  if (check !== undefined) assertOpens(secrets, check)
  const { keyId } = secrets
  if (keyId === undefined) throw badSetting('MUSTER_SECRET_KEY', 'unset', 'the key to seal with')
  const rotated: Rotated = { key_id: keyId, sealed: 0, unreadable: [] }
  for (const column of store.sealedColumns) {
    let after: string[] | undefined
    for (;;) {
      const rows = await store.readUnderOtherKeys(database, column, keyId, after, 500)
      if (rows.length === 0) break
      after = rows.at(-1)?.key
      for (const row of rows) {
        const place = column.place(row.key)
        try {
          const sealed = secrets.seal(secrets.open(row.sealed, place), place)
          await store.replaceSealed(database, column, row, sealed)
          rotated.sealed += 1
        } catch (error) {
          if (!(error instanceof DomainError)) throw error
          rotated.unreadable.push(error.message)
        }
      }
    }
  }
  // Last: until then, processes with only the old key can start.
  await store.replaceCheck(database, seal(secrets))
  return rotated
}

export interface Rotated {
  /** Id of the key that everything is encrypted with now. */
  key_id: string
  /** How many values were encrypted again. */
  sealed: number
  /** Values that no available key can decrypt, in words. */
  unreadable: string[]
}

const place = ['check'] as const

function seal(secrets: SecretBox): Buffer {
  return secrets.seal(Buffer.from('muster'), place)
}

function assertOpens(secrets: SecretBox, check: Buffer): void {
  try {
    secrets.open(check, place)
  } catch (error) {
    const shown = secrets.keyId === undefined ? 'unset' : `the key ${secrets.keyId}`
    const expected = "the key of this database's secrets, or that key in MUSTER_SECRET_KEYS"
    throw badSetting('MUSTER_SECRET_KEY', shown, expected, error)
  }
}

async function findSecretKeys(config: Config): Promise<Buffer[]> {
  const { secretKey, otherSecretKeys, databaseUrl, dataDir } = config
  if (secretKey !== undefined) return [secretKey, ...otherSecretKeys]
  return databaseUrl === undefined ? [await ensureSecretKey(dataDir), ...otherSecretKeys] : []
}
