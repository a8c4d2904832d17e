import type { Database, Transaction } from '../db/client.ts'
import type { AgentForRun } from '../engine/run/definition.ts'
import { findAgentsForRuns } from './store.ts'

/** The wanted agents that are there, each once, in no order; one statement for any number. */
export async function readAgentsForRuns(
  database: Database | Transaction,
  wanted: { accountId: string; id: string }[],
): Promise<AgentForRun[]> {
  return wanted.length === 0 ? [] : findAgentsForRuns(database, wanted)
}
