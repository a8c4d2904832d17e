import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { findFastFolder } from '../db/test-database.ts'
import { isPostmasterOf, readPidFile, stopPostmaster } from './process.ts'

export interface Folder extends AsyncDisposable {
  path: string
  dataDir: string
  /** The process id of the running server. */
  findServer(): Promise<number | undefined>
}

/** Makes a folder that, before it is removed, stops the server in it. */
export async function makeFolder(parent?: string): Promise<Folder> {
  const path = await mkdtemp(join(parent ?? (await findFastFolder()), 'muster-db-'))
  await chmod(path, 0o711)
  const dataDir = join(path, 'data')
  const findServer = async (): Promise<number | undefined> => {
    const left = await readPidFile(join(dataDir, 'postgres'))
    if (left === undefined) return undefined
    return (await isPostmasterOf(left.pid, join(dataDir, 'postgres'))) ? left.pid : undefined
  }
  return {
    path,
    dataDir,
    findServer,
    async [Symbol.asyncDispose]() {
      const pid = await findServer()
      if (pid !== undefined) await stopPostmaster(pid, join(dataDir, 'postgres'))
      await rm(path, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql)
    return rows
  } finally {
    await client.end()
  }
}
