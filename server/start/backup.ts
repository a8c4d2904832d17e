import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { ConfigError } from '../config-error.ts'
import { ArchiveReader } from '../db/archive.ts'
import { backup, openClient } from '../db/backup.ts'
import { createDatabase, createPool } from '../db/client.ts'
import { assertKnownSchema, assertNoOtherSession, restore, type Restored } from '../db/restore.ts'
import { openEmbeddedServer, startEmbeddedServer } from '../embedded/server.ts'
import {
  beginEpoch,
  enterEpoch,
  readEpoch,
  readIdentity,
  type Connection,
  type NewEpoch,
} from '../engine/journal/epochs.ts'
import { version } from '../version.ts'
import type { Config } from './config.ts'
import { keepSecretKey, readSecretKey } from './data-folder.ts'
import { prepareDatabase, reachDatabase } from './prepare-database.ts'
import { assertKeyOfBackup } from './secrets.ts'

/**
 * Backups of an embedded or external database, while the service is running, to a file; restoring a
 * file into an empty database; and moving from one database to the other. A restored database
 * starts an epoch in doubt.
 */
type Log = (line: string) => void

export interface BackedUp {
  file: string
  bytes: number
  has_secret_key: boolean
  /** Files whose contents are stored outside the database, and so not in the backup. */
  files_elsewhere: FilesElsewhere[]
}

/** Writes a file that appears under its name only when it is complete. */
export async function backUp(
  config: Config,
  file: string,
  { withKey, log }: { withKey: boolean; log: Log },
): Promise<BackedUp> {
  const path = resolve(file)
  if (existsSync(path)) throw new ConfigError(`Cannot back up: ${path} already exists`)
  const secretKey = withKey ? await findKey(config) : undefined
  if (withKey && secretKey === undefined) {
    throw new ConfigError('Cannot back up the secret key: MUSTER_SECRET_KEY is unset')
  }
  await using database = await openOne(config, log, (options) =>
    openEmbeddedServer({ ...options, mustBeThere: true }),
  )
  await prepareDatabase(database.url)
  if (secretKey !== undefined) {
    await using pool = createPool(database.url, 1)
    await assertKeyOfBackup(createDatabase(pool), secretKey)
  }
  // A random name, so that leftovers of a killed backup do not conflict.
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`
  await using made = await open(partial, 'wx', 0o600).catch(refuse('back up'))
  try {
    const output = made.createWriteStream({ flush: true })
    const pieces = Readable.from(backup(database.url, { release: version, secretKey }))
    await pipeline(pieces, createGzip({ level: 4 }), output)
    await rename(partial, path)
    await using folder = await open(dirname(path))
    await folder.sync()
    await using client = await openClient(database.url, 'muster backup')
    const elsewhere = await findFilesElsewhere(client)
    const { bytesWritten: bytes } = output
    return { file: path, bytes, has_secret_key: withKey, files_elsewhere: elsewhere }
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

export async function restoreFrom(
  config: Config,
  file: string,
  log: Log,
): Promise<Restored & { has_secret_key: boolean }> {
  await using input = await open(resolve(file)).catch(refuse('restore'))
  const isFile = (await input.stat()).isFile()
  if (isFile) await checkArchive(await openArchive(input, 0))
  // A pipe can only be read once.
  const reader = await openArchive(input, isFile ? 0 : undefined)
  await assertKnownSchema(reader.header)
  const { secret_key: secretKey } = reader.header
  await using database = await openOne(config, log, startEmbeddedServer)
  const restored = await restore(database.url, reader, async (client) => {
    const { number } = await readEpoch(client)
    await enterEpoch(client, number, await inDoubt(client))
    if (secretKey === undefined) return
    await keepSecretKey(config.dataDir, Buffer.from(secretKey, 'base64'))
  })
  return { ...restored, has_secret_key: secretKey !== undefined }
}

async function openArchive(input: FileHandle, start: number | undefined): Promise<ArchiveReader> {
  const decompressed = createGunzip()
  const bytes = input.createReadStream({
    autoClose: false,
    ...(start === undefined ? {} : { start }),
  })
  // The failure is handled by the reader; this avoids an unhandled rejection until then.
  pipeline(bytes, decompressed).catch(() => {})
  return ArchiveReader.open(decompressed)
}

/** Rejects a damaged or too new backup before a database is created for it. */
async function checkArchive(reader: ArchiveReader): Promise<void> {
  await assertKnownSchema(reader.header)
  await reader.skip()
}

/**
 * Moves all data from one of the configured databases to the other; no service may run on either.
 */
export async function moveDatabase(
  config: Config,
  to: 'embedded' | 'external',
  log: Log,
): Promise<Restored> {
  const { databaseUrl } = config
  if (databaseUrl === undefined) {
    throw new ConfigError('Cannot move: DATABASE_URL is unset, expected the other database')
  }
  await using embedded = await startEmbeddedServer({
    dataDir: config.dataDir,
    mustBeThere: to === 'external',
    log,
  })
  const external = await reachDatabase(databaseUrl, log)
  const [source, target] = to === 'embedded' ? [external, embedded.url] : [embedded.url, external]
  await prepareDatabase(source)
  await using client = await openClient(source, 'muster move')
  await assertNoOtherSession(client, 'move')
  const pieces = backup(source, { release: version, secretKey: undefined })
  const moved = await restore(target, await ArchiveReader.open(pieces), async (restored) => {
    const identity = await readIdentity(restored)
    const { number } = await readEpoch(restored)
    const epoch = { reason: 'copied', identity, home: undefined, isInDoubt: false } as const
    await enterEpoch(restored, number, epoch)
  })
  // A process that starts on a partial copy finds it in doubt.
  const { number } = await readEpoch(client)
  await beginEpoch(client, number, await inDoubt(client))
  return moved
}

function refuse(verb: string): (error: Error) => never {
  return (error) => {
    throw new ConfigError(`Cannot ${verb}: ${error.message}`, { cause: error })
  }
}

async function inDoubt(connection: Connection): Promise<NewEpoch> {
  const identity = await readIdentity(connection)
  return { reason: 'restored', identity, home: undefined, isInDoubt: true }
}

async function findKey({ secretKey, databaseUrl, dataDir }: Config): Promise<Buffer | undefined> {
  if (secretKey !== undefined) return secretKey
  return databaseUrl === undefined ? await readSecretKey(dataDir) : undefined
}

interface Opened extends AsyncDisposable {
  url: string
}

/** Opens the embedded database, with or without a service running on it; starts it if necessary. */
async function openOne(
  { databaseUrl, dataDir }: Config,
  log: Log,
  openEmbedded: typeof openEmbeddedServer | typeof startEmbeddedServer,
): Promise<Opened> {
  if (databaseUrl === undefined) return openEmbedded({ dataDir, log })
  return { url: await reachDatabase(databaseUrl, log), async [Symbol.asyncDispose]() {} }
}

/** Files whose contents are stored outside the database, by store. */
interface FilesElsewhere {
  store: string
  files: number
}

async function findFilesElsewhere(connection: Connection): Promise<FilesElsewhere[]> {
  const { rows } = await connection.query<FilesElsewhere>(`
    select store, count(*)::int as files from muster.file_contents
    where store <> 'database' and state = 'kept' group by store order by store`)
  return rows
}
