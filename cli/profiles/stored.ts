import { chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../server/make-folder.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliError, usageError } from '../failure.ts'
import { shell } from '../shell.ts'

/**
 * Profiles: the addresses and keys that `muster login` has stored, by name, in one file that only
 * its owner can read. The current one is used where nothing else names a service. An address and a
 * key of a profile are never combined with those of another source.
 */
export interface Profile {
  url: string
  api_key: string
}

export interface Profiles {
  /** Name of the profile that is used by default; null for none. */
  current: string | null
  profiles: Record<string, Profile>
}

const maxNameLength = 40

/** `$XDG_CONFIG_HOME/muster/profiles.json`, by default in `~/.config`; on Windows in `%APPDATA%`. */
export function profilesFile(): string {
  const { env } = shell()
  const home = env['HOME']?.trim() || homedir()
  const folder =
    process.platform === 'win32' ? env['APPDATA']?.trim() : env['XDG_CONFIG_HOME']?.trim()
  return join(folder || join(home, '.config'), 'muster', 'profiles.json')
}

export async function readProfiles(): Promise<Profiles> {
  const file = profilesFile()
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw usageError(`Cannot read ${file}: ${error.message}`, 'unreadable_file')
  })
  if (text === undefined) return { current: null, profiles: {} }
  if (process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0) {
    const why = `other users can read it; run chmod 600 ${file}, and replace its keys if they did`
    throw new CliError(exitCodes.notAuthorised, 'shared_profiles', `Cannot use ${file}: ${why}`)
  }
  try {
    const { current, profiles } = JSON.parse(text) as Profiles
    const areProfiles = Object.values(profiles).every(
      ({ url, api_key: key }) => typeof url === 'string' && typeof key === 'string',
    )
    if (areProfiles && (current === null || typeof current === 'string'))
      return { current, profiles: { ...profiles } }
  } catch {}
  throw usageError(`Cannot read ${file}: it does not hold profiles`, 'invalid_file')
}

export async function readProfile(name: string): Promise<Profile> {
  const { profiles } = await readProfiles()
  if (Object.hasOwn(profiles, name)) return profiles[name] as Profile
  const known = Object.keys(profiles).sort()
  const expected = known.length === 0 ? 'none is stored' : `expected ${known.join(', ')}`
  throw new CliError(
    exitCodes.notFound,
    'unknown_profile',
    `Cannot use profile: there is no ${JSON.stringify(name)}, ${expected}`,
  )
}

/** Undefined if none is the current one. */
export async function readCurrentProfile(): Promise<Profile | undefined> {
  const { current, profiles } = await readProfiles()
  return current === null || !Object.hasOwn(profiles, current) ? undefined : profiles[current]
}

/** Replaces the file as a whole, so that a kill leaves the old or the new one. */
export async function saveProfiles(profiles: Profiles): Promise<void> {
  const file = profilesFile()
  await makeFolder(dirname(file), 0o700)
  const temporary = `${file}.${process.pid}`
  try {
    await writeFile(temporary, `${JSON.stringify(profiles, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    })
    await chmod(temporary, 0o600)
    await rename(temporary, file)
  } finally {
    await rm(temporary, { force: true })
  }
}

export function checkProfileName(name: string): string {
  if (name.length <= maxNameLength && /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name)) return name
  throw usageError(
    `Cannot store profile: ${JSON.stringify(name)} is no name, expected up to ${maxNameLength} letters, digits, ".", "_" and "-"`,
  )
}
