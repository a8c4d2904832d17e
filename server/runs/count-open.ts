import type { Database } from '../db/client.ts'
import type { RunStatus } from '../engine/state/run.ts'
import * as store from './store.ts'

/** Runs that have not ended, by status, over all accounts. */
export function countOpenRuns(database: Database): Promise<{ status: RunStatus; count: number }[]> {
  return store.countOpenRuns(database)
}
