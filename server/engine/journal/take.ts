import { sql } from 'kysely'
import { fewRows, isRun, pairTable, runTable } from '../../db/fragments.ts'
import type { Database } from '../../db/client.ts'
import { statement, type Given } from '../../db/statement.ts'
import { execute, run, runEach } from '../../db/run.ts'
import type { Dispatch } from '../queue/dispatch.ts'
import { type Job, heldBy } from '../queue/jobs.ts'
import { insertSearchTerms, termsOfChange, type Tags } from './search-terms.ts'
import { endChange, recordChange, recordedUsage } from './record.ts'
import { hasFiles } from './files.ts'
import type { RunKey, RunStatus } from '../run/run.ts'
import type { PriorStep, ShownEntry, StepStart, RunEvent } from '../run/step.ts'
import type { Usage } from '../../models/contract.ts'
import { memoryOf } from './boundary.ts'
import { attemptFloor, lastEpochInDoubt } from './epochs.ts'
import { heldForProvider, runTime } from '../run/clock.ts'
import { workerColumns } from '../run/fields.ts'

/**
 * SQL of taking runs, in batches: what a worker reads before, and the take itself, which raises the
 * fence.
 */

/** What a worker must know of a run before it takes it. */
export interface Candidate {
  id: string
  accountId: string
  workflowId: string
  status: RunStatus
  attempt: number
  crashCount: number
  probationSize: number | null
  /**
   * The run started before a failover that may have lost data: its actions may have been done
   * already.
   */
  isDoubted: boolean
  /** Number of its newest event; the take fails if the run has moved since. */
  lastSequence: number
  input: string
  data: object | null
  /** The thread of which it is a turn. */
  threadId: string | null
  /** Text of the earlier turns, for its first step. */
  context: string | null
  /** The run waits for its model provider, or for a process with enough memory. */
  isHeld: boolean
  tags: Tags | null
  definitionHash: string | null
  /** The version it was triggered or started with; null for the live version. */
  workflowVersion: number | null
  costUsd: number
  /** Bytes of all tool results so far. */
  toolBytes: number
  /** The run has input or output files. */
  hasFiles: boolean
  /** Finished steps in order. */
  prior: PriorStep[]
  /** The step in progress, if an earlier worker started it. */
  begun: BegunStep | null
}

interface BegunStep {
  id: string
  position: number
  role: string
  model: string
  agentId: string | null
  tries: number
  /** Number of stored turns. */
  turns: number
  recorded: Usage
  memory: ShownEntry[] | null
}

export async function readCandidates(
  database: Database,
  dispatches: Dispatch[],
): Promise<Candidate[]> {
  const known = dispatches.flatMap((one) =>
    one.kind === 'fetched' ? [] : [triggeredCandidate(one)],
  )
  const others = dispatches.filter(({ kind }) => kind === 'fetched')
  return others.length === 0 ? known : [...known, ...(await readRuns(database, others))]
}

/** The candidate for a run that was just triggered: nothing has to be read. */
export function triggeredCandidate({
  accountId,
  runId,
  run,
}: Exclude<Dispatch, { kind: 'fetched' }>): Candidate {
  return {
    id: runId,
    accountId,
    workflowId: run.workflowId,
    status: 'queued',
    attempt: 0,
    crashCount: 0,
    probationSize: null,
    isDoubted: false,
    lastSequence: 1,
    input: run.input,
    data: run.data,
    threadId: run.turn?.threadId ?? null,
    context: run.turn?.context ?? null,
    isHeld: false,
    tags: run.tags ?? null,
    definitionHash: null,
    workflowVersion: run.workflowVersion ?? null,
    costUsd: 0,
    toolBytes: 0,
    // A run with files is triggered in a transaction of its own, never this way.
    hasFiles: false,
    prior: [],
    begun: null,
  }
}

async function readRuns(database: Database, jobs: Job[]): Promise<Candidate[]> {
  const accounts = jobs.map(({ accountId }) => accountId)
  const ids = jobs.map(({ runId }) => runId)
  const rows = await run(database, jobs, reading({ accounts, ids }, {}))
  return rows.map((row) => ({ ...row, prior: row.prior ?? [] }))
}

const reading = statement(
  (given: Given<{ accounts: string[]; ids: string[] }>) => sql<
    Candidate & { prior: Candidate['prior'] | null }
  >`
    select ${sql.raw(workerColumns)}, runs.epoch < ${lastEpochInDoubt} as "isDoubted",
           runs.held_since is not null and runs.held -> 'isRetry' is null as "isHeld",
           encode(runs.definition_hash, 'hex') as "definitionHash",
           ${hasFiles} as "hasFiles",
           step.prior, step.begun
    from ${pairTable(given.accounts, given.ids)} as input
    join runs on runs.account_id = input.account_id and runs.id = input.id
    left join lateral (
      select json_agg(${priorStep} order by position)
               filter (where output is not null) as prior,
             (json_agg(json_build_object('id', id, 'position', position, 'role', role,
                                          'model', model, 'agentId', agent_id, 'tries', tries,
                                          'turns', turns, 'memory', memory,
                                          'recorded', ${recordedUsage}))
               filter (where finished_at is null)) -> 0 as begun
      from steps where steps.account_id = runs.account_id
        and steps.run_id = runs.id
    ) as step on runs.status = 'running' or runs.total_steps > 0`,
)

export interface Take {
  runId: string
  accountId: string
  attempt: number
  lastSequence: number
  definitionHash: string
  /** The version that the definition is of; null if it is not known. */
  workflowVersion?: number | null
  /**
   * For a run suspected of crashing its worker: how many runs start their probation with this take.
   */
  probationSize?: number | null
  /**
   * The time since the run was last known to be running was a wait, which counts towards no limit.
   * Otherwise only the time before its job was ready counts as a wait.
   */
  hasWaited: boolean
  step: StepStart
  events: RunEvent[]
}

export interface Taken {
  /** The new fence. */
  attempt: number
  /** Run time so far. */
  elapsedMs: number
  /** How long the run has been held because its provider is unavailable; 0 if it is not. */
  heldMs: number
}

/**
 * Takes runs whose jobs the worker holds: raises the fence and starts the next step, unless it was
 * started before. Undefined for each run that could not be taken any more.
 */
export async function takeRuns(
  database: Database,
  worker: string,
  takes: Take[],
): Promise<(Taken | undefined)[]> {
  const input = JSON.stringify(
    takes.map(({ step, ...take }, number) => ({
      number,
      account_id: take.accountId,
      run_id: take.runId,
      attempt: take.attempt,
      last_sequence: take.lastSequence,
      hash: take.definitionHash,
      workflow_version: take.workflowVersion ?? undefined,
      probation_size: take.probationSize,
      has_waited: take.hasWaited || undefined,
      step_id: step.id,
      position: step.position,
      role: step.role,
      model: step.model,
      agent_id: step.agentId ?? undefined,
      agent_version: step.agentVersion,
      memory: memoryOf(step),
      marks: termsOfChange(step.agentId, null),
      event_count: take.events.length,
      events: take.events,
    })),
  )
  const hasTerms = takes.some(({ step }) => step.agentId !== null)
  const rows = await run(database, takes, taking({ input, worker }, { hasTerms }))
  const taken = new Map(rows.map(({ number, ...taken }) => [number, taken]))
  return takes.map((_, number) => taken.get(number))
}

const taking = statement(
  (given: Given<{ input: string; worker: string }>, { hasTerms }: { hasTerms: boolean }) => sql<
    Taken & { number: number }
  >`
    with input as materialized (
      select * from json_to_recordset(${given.input}::json) as input
        (number int, account_id text, run_id text, attempt int, last_sequence int, hash text,
         workflow_version int, probation_size int, has_waited boolean, step_id text, position int, role text, model text, agent_id text,
         agent_version int, memory json, marks json, event_count int, events json)
      where ${fewRows}
    ), changed as (
      update runs
      set status = 'running', attempt = greatest(runs.attempt, ${attemptFloor}) + 1,
          takes_without_progress = least(runs.takes_without_progress + 1, 100),
          probation_size = input.probation_size,
          started_at = coalesce(runs.started_at, now()),
          definition_hash = decode(input.hash, 'hex'),
          workflow_version = coalesce(input.workflow_version, runs.workflow_version),
          waited_ms = runs.waited_ms + case when runs.started_at is null then 0 else coalesce(
            (select extract(epoch from now() - greatest(
                      events.created_at, runs.counted_to,
                      case when input.has_waited is null then
                        (select ready_at from jobs where ${isRun('jobs', 'input')}) end))
             from events
             where events.account_id = input.account_id
               and events.run_id = input.run_id
               and events.sequence = input.last_sequence) * 1000, 0)::bigint end,
          counted_to = now(),
          last_sequence = runs.last_sequence + input.event_count
      from input
      where runs.account_id = input.account_id and runs.id = input.run_id
        and runs.attempt = input.attempt and runs.last_sequence = input.last_sequence
        and runs.status in ('queued', 'running')
        and exists (select from jobs
                    where ${isRun('jobs', 'input')} and ${heldBy(given.worker)})
      returning runs.id, runs.account_id, runs.attempt, runs.last_sequence, runs.started_at,
        runs.waited_ms, runs as run, input.number, input.step_id, input.position, input.role,
        input.model, input.agent_id, input.agent_version, input.memory, input.marks, input.event_count, input.events
    ), started as (
      insert into steps (account_id, run_id, position, id, role, model, agent_id, agent_version, memory)
      select account_id, id, position, step_id, role, model, agent_id, agent_version, memory from changed
      on conflict (account_id, run_id, position) do nothing
    )${hasTerms ? sql`, marked as (${termsOfTaken})` : sql``}, ${recordChange()}
    ${endChange(sql`
    select number, attempt,
           ${sql.raw(runTime('', 'now()'))} as "elapsedMs",
           ${sql.raw(heldForProvider('(run)'))} as "heldMs"
    from changed`)}`,
)

const termsOfTaken = insertSearchTerms(
  sql`select account_id, id, (run).created_at, marks from changed`,
)

/** Ends the probation of these runs: they did not crash the process. */
export async function clearProbation(database: Database, runs: RunKey[]): Promise<void> {
  await runEach(database, runs, async (part) => {
    const query = sql`
      update runs set probation_size = null from ${runTable(part)} as input
      where runs.account_id = input.account_id and runs.id = input.id`
    await execute(database, part, query)
    return []
  })
}

/** A finished step of the table `steps`, as a `PriorStep`. */
export const priorStep = sql.raw(`json_build_object('role', role, 'output', output,
  'isCut', finish_reason = 'length')`)
