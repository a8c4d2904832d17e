import { randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { ConfigError } from '../config-error.ts'
import { run, type ServerUser } from './user.ts'

/**
 * The links among the libraries of the embedded PostgreSQL. A package cannot contain links, so the
 * platform package lists them in `native/pg-symlinks.json` and makes them in its install script,
 * which many package managers do not run. Muster makes missing ones at its start; where the package
 * cannot be written, it uses a complete copy in the data folder.
 */
export interface Programs {
  initdb: string
  postgres: string
}

interface Link {
  /** The library, relative to the package. */
  source: string
  /** The link. */
  target: string
}

/** The programs with all libraries that they load. */
export async function withLibraries(programs: Programs, dataDir: string): Promise<Programs> {
  const folder = dirname(dirname(dirname(programs.postgres)))
  const missing = await findMissing(folder)
  if (missing.length === 0) return programs
  try {
    await makeLinks(folder, missing)
    return programs
  } catch (error) {
    const copy = await copyPackage(folder, dataDir, missing).catch((copyError: unknown) => {
      throw failure(folder, dataDir, error, copyError)
    })
    const inCopy = (program: string): string => join(copy, relative(folder, program))
    return { initdb: inCopy(programs.initdb), postgres: inCopy(programs.postgres) }
  }
}

/**
 * The programs, as the user that root runs them as can use them. What root has installed under a
 * private umask, nobody else can enter or read: then a complete copy in the data folder is used.
 */
export async function copyFor(
  user: ServerUser,
  programs: Programs,
  dataDir: string,
): Promise<Programs> {
  const { code } = await run(programs.postgres, ['--version'], user)
  if (code === 0) return programs
  const folder = dirname(dirname(dirname(programs.postgres)))
  if (folder.startsWith(dataDir)) return programs
  const copy = await copyPackage(folder, dataDir, await findMissing(folder))
  const inCopy = (program: string): string => join(copy, relative(folder, program))
  return { initdb: inCopy(programs.initdb), postgres: inCopy(programs.postgres) }
}

async function findMissing(folder: string): Promise<Link[]> {
  const list = await fs
    .readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')
    .catch(() => '[]')
  return (JSON.parse(list) as Link[]).filter(({ target }) => !existsSync(join(folder, target)))
}

async function makeLinks(folder: string, links: Link[]): Promise<void> {
  for (const { source, target } of links) {
    const path = join(folder, target)
    // Another process may have made it meanwhile.
    await fs.symlink(relative(dirname(target), source), path).catch((error: unknown) => {
      if (!existsSync(path)) throw error
    })
  }
}

/** Each version has its own copy, which is either complete or absent. */
async function copyPackage(folder: string, dataDir: string, missing: Link[]): Promise<string> {
  const text = await fs.readFile(join(folder, 'package.json'), 'utf8')
  const { version } = JSON.parse(text) as { version: string }
  const copy = join(dataDir, `postgresql-${version}`)
  if (existsSync(copy)) return copy
  const temporary = `${copy}.new-${randomUUID()}`
  try {
    await fs.cp(join(folder, 'native'), join(temporary, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    })
    // A copy of a folder that cannot be written cannot be written either.
    for (const { target } of missing) await fs.chmod(join(temporary, dirname(target)), 0o755)
    await makeLinks(temporary, missing)
    await openToReaders(temporary)
    await fs.rename(temporary, copy)
  } catch (error) {
    await fs.rm(temporary, { recursive: true, force: true })
    // Another start was faster; its copy is used.
    if (!existsSync(copy)) throw error
  }
  return copy
}

/** Programs and libraries are no secret; root's copy is for another user. */
async function openToReaders(folder: string): Promise<void> {
  await fs.chmod(folder, 0o755)
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = await fs.stat(path)
    await fs.chmod(
      path,
      (mode & 0o777) | (entry.isDirectory() || (mode & 0o100) !== 0 ? 0o555 : 0o444),
    )
  }
}

function failure(folder: string, dataDir: string, error: unknown, copyError: unknown): ConfigError {
  return new ConfigError(
    `Cannot start: the embedded PostgreSQL lacks links to its libraries, because the package manager did ` +
      `not run its install script, and they can be made neither in ${folder} (${codeOf(error)}) nor in ` +
      `${dataDir} (${codeOf(copyError)}); run cd '${folder}' && node scripts/hydrate-symlinks.js as a user ` +
      `who may write there, or set DATABASE_URL to a PostgreSQL server`,
    { cause: copyError },
  )
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
