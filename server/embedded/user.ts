import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { ConfigError } from '../config-error.ts'

/**
 * The user that runs the embedded PostgreSQL. An ordinary user runs it as themselves. PostgreSQL
 * refuses to run as root, so root uses another user, who must be able to reach the program and the
 * data.
 */
export interface ServerUser {
  uid: number
  gid: number
}

const ownUserName = 'muster-postgres'
// Only if no user can be created: other services run as this user, and could open the socket.
const sharedUserName = 'postgres'
const waysOut = 'run Muster as an ordinary user, or set DATABASE_URL to another PostgreSQL'

/** The user for a new cluster when Muster runs as root. */
export async function findServerUser(): Promise<ServerUser> {
  const own = await lookUp(ownUserName)
  if (own !== undefined) return own
  const made = await run('useradd', [
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    ownUserName,
  ])
  const user = (await lookUp(ownUserName)) ?? (await lookUp(sharedUserName))
  if (user !== undefined) return user
  throw new ConfigError(
    `Cannot start: PostgreSQL does not run as root, and the user ${ownUserName} cannot be made for it ` +
      `(useradd: ${made.output || 'failed'}); make a system user named postgres, ${waysOut}`,
  )
}

/**
 * Throws if `user` cannot enter a folder on the path to one of the `folders`. Checked by the
 * kernel, as that user, because mode bits do not show access lists.
 */
export async function assertReachable(user: ServerUser, folders: readonly string[]): Promise<void> {
  const onTheWay = [...new Set(folders.flatMap(withParents))]
  const script = 'for d do cd "$d" 2>/dev/null || { printf %s "$d"; exit 1; }; done'
  const { code, output } = await run('/bin/sh', ['-c', script, 'sh', ...onTheWay], user)
  if (code === 0) return
  throw new ConfigError(
    `Cannot start: PostgreSQL does not run as root, and the user it runs as (uid ${user.uid}) cannot ` +
      `enter the folder ${output}; move Muster and its data folder elsewhere, ` +
      `run chmod o+x '${output}', ${waysOut}`,
  )
}

export interface Finished {
  /** Exit code; null if the program could not be run or was killed. */
  code: number | null
  /** Its trimmed output, or why it did not end by itself. */
  output: string
}

/** Runs a program to its end; never throws. */
export function run(
  program: string,
  args: readonly string[],
  user?: ServerUser,
): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: '/', env: programEnv(), ...user }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.trim()
      if (error === null) resolve({ code: 0, output })
      else if (typeof error.code === 'number') resolve({ code: error.code, output })
      else resolve({ code: null, output: error.message })
    })
  })
}

/** Neither PG* variables nor the caller's locale may change the server. */
export function programEnv(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' }
}

async function lookUp(name: string): Promise<ServerUser | undefined> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
  if (uid.code !== 0 || gid.code !== 0) return undefined
  return { uid: Number(uid.output), gid: Number(gid.output) }
}

function withParents(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [...withParents(parent), folder]
}
