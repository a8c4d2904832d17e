import { randomUUID } from 'node:crypto'
import { chmod, lchown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { run } from './user.ts'

/**
 * Restricts sessions to the server's own user and root. The kernel reports the user of a client
 * (`peer`), so other users' processes that reach the socket are rejected. The two files are stored
 * beside PostgreSQL's own and named by settings at each start, so that older clusters use them too.
 * Nothing is set if `pg_hba.conf` was edited, or if the user has no name, as in some containers.
 */
export async function peerSettings(cluster: Cluster): Promise<Record<string, string>> {
  const own = await readFile(join(cluster.folder, 'pg_hba.conf'), 'utf8').catch(() => '')
  const rules = own.split('\n').filter((line) => /^\s*[^#\s]/.test(line))
  const isUnchanged = rules.length > 0 && rules.every((rule) => /\strust\s*$/.test(rule))
  const names = isUnchanged ? await peerNames(cluster) : undefined
  if (names === undefined) return {}
  const users = names.map((name) => `muster "${name}" all\n`).join('')
  return {
    hba_file: await writeOwned(
      cluster,
      'muster_hba.conf',
      rulesFor('all') + rulesFor('replication'),
    ),
    ident_file: await writeOwned(cluster, 'muster_ident.conf', users),
  }
}

/** `all` does not include sessions that copy or replicate the server. */
function rulesFor(databases: string): string {
  return `local ${databases} all peer map=muster\n`
}

async function peerNames({ user }: Cluster): Promise<string[] | undefined> {
  const [root, owner] = [
    await userName(0),
    user === undefined ? ownName() : await userName(user.uid),
  ]
  const process = ownName()
  if (owner === undefined || process === undefined) return undefined
  return [...new Set([owner, process, ...(root === undefined ? [] : [root])])]
}

function ownName(): string | undefined {
  try {
    return plain(userInfo().username)
  } catch {
    return undefined
  }
}

async function userName(uid: number): Promise<string | undefined> {
  const { code, output } = await run('id', ['-un', String(uid)])
  return code === 0 ? plain(output) : undefined
}

/** A name that needs no quotes in PostgreSQL's files. */
function plain(name: string): string | undefined {
  return /^[A-Za-z0-9_][A-Za-z0-9_.@-]*$/.test(name) ? name : undefined
}

async function writeOwned({ folder, user }: Cluster, name: string, text: string): Promise<string> {
  const path = join(folder, name)
  const temporary = `${path}.${randomUUID()}`
  try {
    await writeFile(temporary, text, { mode: 0o600 })
    await chmod(temporary, 0o600)
    if (user !== undefined) await lchown(temporary, user.uid, user.gid)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return path
}
