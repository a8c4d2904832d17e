import type { Logger } from 'pino'
import { badSetting, ConfigError } from '../config-error.ts'
import type { Database } from '../db/client.ts'
import { DomainError } from '../errors.ts'
import { SecretBox } from '../secret-box.ts'
import type { Config } from './config.ts'
import { ensureSecretKey } from './data-folder.ts'
import * as store from './secrets-store.ts'

/**
 * The box of this deployment's secrets. A database knows a value that its first start sealed: whoever
 * cannot open it has the wrong key, and does not start.
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
    // Another process may have been the first.
    const kept = await store.findCheck(database)
    if (kept !== undefined) assertOpens(secrets, kept)
  }
  return secrets
}

/** Refuses a key that does not open what is stored: another one, or the next one before all is sealed anew. */
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

/** Seals anew what is under another key than the one that seals now. */
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
        const place = column.placeOf(row.key)
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
  // Last: until here a process with the old key alone may start.
  await store.replaceCheck(database, seal(secrets))
  return rotated
}

export interface Rotated {
  /** Id of the key that everything is under now. */
  key_id: string
  /** How many values were sealed anew. */
  sealed: number
  /** What cannot be opened with any key that is there, in words. */
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
