import { connectTo, type BenchDatabase } from '../../rig/bench-database.ts'

/**
 * The PostgreSQL of the chaos test, which is restarted when it ends: one server, or a Citus
 * cluster.
 */
export interface Ground extends AsyncDisposable {
  url: string
  /** Folder of a small file system with the database, if there is one. */
  disk: string | undefined
  /** Faults that cannot be applied, with the reason. */
  skipped: string[]
  /** The worker nodes of a cluster. */
  nodes: Node[]
  /**
   * Ends the server that processes connect to; returns its name, or undefined if it is down
   * already.
   */
  end(signal: NodeJS.Signals): Promise<string | undefined>
  /** Reads the final state. On a cluster, all writes must have ended. */
  judge<T>(work: (database: BenchDatabase) => Promise<T>): Promise<T>
}

export interface Node {
  name: string
  /** URL of the node's database. */
  url: string
  /** Kills the server, and restarts it after this time; undefined if it is down already. */
  lose(ms: number): Promise<string | undefined>
  /** Pauses its processes for this time, with connections open; undefined if it is down already. */
  hang(ms: number): Promise<string | undefined>
  /** Whether the rows of an account are on this node. */
  holds(accountId: string): Promise<boolean>
}

export function signalTo(pid: number | undefined, signal: NodeJS.Signals): string | undefined {
  // Zero would signal this process's own group.
  if (pid === undefined || !(pid > 0)) return undefined
  try {
    process.kill(pid, signal)
    return `process ${pid}`
  } catch {
    // The process has just ended.
    return undefined
  }
}

export async function withDatabase<T>(
  url: string,
  work: (database: BenchDatabase) => Promise<T>,
): Promise<T> {
  await using database = await connectTo(url)
  return await work(database)
}
