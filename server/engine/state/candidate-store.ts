import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import type { RunStatus, ShownEntry, Usage } from './run.ts'

/** SQL of what a worker reads of runs before it takes them. */

/** What a worker must know of a run before it takes it. */
export interface Candidate {
  id: string
  accountId: string
  workflowId: string
  status: RunStatus
  attempt: number
  takesWithoutProgress: number
  /** That of the job which is to wake it. */
  generation: number
  /** Number of its newest event: a run that moved since is not taken. */
  lastSequence: number
  input: string
  definitionHash: string | null
  costUsd: number
  /** Finished steps in order. */
  prior: { role: string; output: string }[]
  /** The step in progress, when a worker before this one began it. */
  begun: BegunStep | null
}

interface BegunStep {
  id: string
  position: number
  role: string
  model: string
  agentId: string | null
  tries: number
  /** Stored turns. */
  turns: number
  recorded: Usage
  memory: ShownEntry[] | null
}

export async function readCandidates(database: Database, ids: string[]): Promise<Candidate[]> {
  const { rows } = await sql<Candidate & { prior: Candidate['prior'] | null }>`
    select runs.id, runs.account_id as "accountId", runs.workflow_id as "workflowId", runs.status,
           runs.attempt, runs.takes_without_progress as "takesWithoutProgress", runs.generation,
           runs.last_sequence as "lastSequence", runs.input,
           encode(runs.definition_hash, 'hex') as "definitionHash",
           runs.cost_usd as "costUsd", step.prior, step.begun
    from runs left join lateral (
      select json_agg(json_build_object('role', role, 'output', output) order by position)
               filter (where output is not null) as prior,
             (json_agg(json_build_object('id', id, 'position', position, 'role', role,
                                          'model', model, 'agentId', agent_id, 'tries', tries,
                                          'turns', turns, 'memory', memory,
                                          'recorded', ${recordedUsage}))
               filter (where finished_at is null)) -> 0 as begun
      from steps where steps.run_id = runs.id
    ) as step on runs.status = 'running' or runs.total_steps > 0
    where runs.id = any(${ids})`.execute(database)
  return rows.map((row) => ({ ...row, prior: row.prior ?? [] }))
}

/** What a step has used so far, of the table `steps`. */
export const recordedUsage = sql.raw(`json_build_object('tokensIn', steps.tokens_in,
  'tokensOut', steps.tokens_out, 'costUsd', steps.cost_usd)`)
