import type { Database, Transaction } from '../db/client.ts'
import type { Agent } from './schema.ts'
import { findAgentsForRuns } from './store.ts'

/** What a run needs to know of a standing agent. */
export interface AgentForRun extends Pick<
  Agent,
  | 'id'
  | 'name'
  | 'role'
  | 'systemPrompt'
  | 'model'
  | 'fallbacks'
  | 'maxTokens'
  | 'capabilities'
  | 'status'
> {
  accountId: string
  memoryEnabled: boolean
  /** JSON text. */
  outputSchema: string | null
}

/** The wanted agents that are there, each once, in no order; one statement for any number. */
export async function readAgentsForRuns(
  database: Database | Transaction,
  wanted: { accountId: string; id: string }[],
): Promise<AgentForRun[]> {
  return wanted.length === 0 ? [] : findAgentsForRuns(database, wanted)
}
