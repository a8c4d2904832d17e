import { connectTo, type BenchDatabase } from '../../rig/bench-database.ts'

/** The PostgreSQL under the chaos, which somebody starts again when it ends: one server, or a cluster of Citus. */
export interface Ground extends AsyncDisposable {
  url: string
  /** The folder of a small file system that holds the database, where there is one. */
  disk: string | undefined
  /** The faults that cannot be played, with the reason. */
  skipped: string[]
  /** Those of a cluster that hold the rows of accounts. */
  nodes: Node[]
  /** Ends the server that processes connect to; says what was hit, undefined when it is down already. */
  end(signal: NodeJS.Signals): Promise<string | undefined>
  /** Reads what is there at the end. Nobody may write then where there are nodes. */
  judge<T>(work: (database: BenchDatabase) => Promise<T>): Promise<T>
}

export interface Node {
  name: string
  /** Of the database there. */
  url: string
  /** Kills the server, and starts it again after the time; undefined when it is down already. */
  lose(ms: number): Promise<string | undefined>
  /** Lets its processes stand still for the time, connections open; undefined when it is down already. */
  hang(ms: number): Promise<string | undefined>
  /** Whether an account has its rows there. */
  holds(accountId: string): Promise<boolean>
}

export function signalTo(pid: number | undefined, signal: NodeJS.Signals): string | undefined {
  // Zero would be the group of this process.
  if (pid === undefined || !(pid > 0)) return undefined
  try {
    process.kill(pid, signal)
    return `process ${pid}`
  } catch {
    // It has just ended.
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
