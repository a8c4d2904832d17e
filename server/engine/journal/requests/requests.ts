import { sql } from 'kysely'
import { notice, withNotices } from '../../../db/fragments.ts'
import type { Database, Transaction } from '../../../db/client.ts'
import { execute, run } from '../../../db/run.ts'
import { enqueue, channel as jobChannel } from '../../queue/jobs.ts'
import type { CallStatus } from '../../run/ledger.ts'
import type { RequestedCall, RequestStatus } from '../../run/requests.ts'
import type { Fence, RunKey } from '../../run/run.ts'
import type { RunEvent } from '../../run/step.ts'
import { releaseRun } from '../boundary.ts'
import { changedBy, endChange, recordChange } from '../record.ts'

/**
 * Calls that are requested of the account's workers, for as long as they are open: they are requested with the calls of
 * a turn, and closed by a report, or when their lease or time ends (`expire.ts`). Every move that touches the
 * run locks its row first. Claims touch only the request (`claims.ts`). While all that a run waits for is such calls,
 * its job is delayed; the statement that closes the last of them makes it ready.
 */

/** Channel on which waiting claims of all processes are notified: `<account> <name>`. */
export const requestChannel = 'muster_requests'

/** For the RETURNING of a statement that makes a request of the table `request` open to claims. */
export const requestNotice = notice({
  channel: requestChannel,
  payload: sql`request.account_id || ' ' || request.name`,
})

/** Locks a run for its worker, and returns the database's time; undefined if the worker has lost it. */
async function lockForRequests(
  transaction: Transaction,
  { accountId, runId, attempt }: Fence,
): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date }>`
    select now()::timestamptz(3) as at from runs
    where account_id = ${accountId} and id = ${runId} and attempt = ${attempt} and status = 'running'
    for update`.execute(transaction)
  return rows[0]?.at
}

/**
 * Requests calls in a transaction under the run's lock, in which `write` records them as executing at the given time.
 * Undefined if the run no longer belongs to the worker.
 */
export function request<T>(
  database: Database | Transaction,
  fence: Fence,
  step: RequestingStep,
  write: (transaction: Transaction, at: Date) => Promise<{ calls: RequestedCall[]; written: T }>,
): Promise<T | undefined> {
  const work = async (transaction: Transaction): Promise<T | undefined> => {
    const at = await lockForRequests(transaction, fence)
    if (at === undefined) return undefined
    const { calls, written } = await write(transaction, at)
    await insertRequests(transaction, fence, step, calls)
    return written
  }
  return database.isTransaction
    ? work(database as Transaction)
    : database.transaction().execute(work)
}

interface RequestingStep {
  workflowId: string
  agentId: string | null
  position: number
}

/** The run must be locked. */
async function insertRequests(
  transaction: Transaction,
  { accountId, runId }: RunKey,
  { workflowId, agentId, position }: RequestingStep,
  calls: readonly RequestedCall[],
): Promise<void> {
  const input = JSON.stringify(
    calls.map(({ call, request }) => ({
      id: call.id,
      turn: call.turn,
      position: call.position,
      sensitive: call.sensitive,
      name: request.name,
      seconds: request.timeoutSeconds,
    })),
  )
  const query = sql`
    with requested as (
      insert into requested_calls as request
        (account_id, id, run_id, workflow_id, step_position, turn, position, agent_id, name, sensitive,
         timeout_seconds, expires_at, due_at)
      select ${accountId}, input.id, ${runId}, ${workflowId}, ${position}::int, input.turn, input.position,
             ${agentId}, input.name, input.sensitive, input.seconds,
             now() + make_interval(secs => input.seconds), now() + make_interval(secs => input.seconds)
      from json_to_recordset(${input}::json) as input
        (id text, turn int, position int, sensitive boolean, name text, seconds int)
      -- A person has decided to repeat it.
      on conflict (account_id, id) do update
        set status = 'requested', earlier_tries = request.try, requested_at = excluded.requested_at,
            expires_at = excluded.expires_at, due_at = excluded.due_at, lease = null,
            lease_expires_at = null, finished_at = null
      returning ${requestNotice}
    )
    ${withNotices(sql`select count(*) as requested from requested`, 'requested')}`
  await execute(transaction, accountId, query)
}

/** When a run that waits for requests is looked at although nothing woke it, after the time of the first. */
const marginSeconds = 60

/**
 * Releases a run that waits for nothing but requested calls. If the last of them was closed meanwhile, it is ready at
 * once. False if the run no longer belongs to the worker.
 */
export function releaseToWorkers(
  database: Database,
  fence: Fence,
  { held, ...step }: Parameters<typeof releaseRun>[2],
): Promise<boolean> {
  const { accountId, runId } = fence
  return database.transaction().execute(async (transaction) => {
    if ((await lockForRequests(transaction, fence)) === undefined) return false
    // A statement of its own, so that it sees what was recorded before the lock was free.
    const { rows } = await sql<{ seconds: number | null }>`
      select extract(epoch from min(expires_at) - now())::float8 as seconds from requested_calls
      where account_id = ${accountId} and run_id = ${runId} and due_at is not null`.execute(
      transaction,
    )
    const seconds = rows[0]?.seconds ?? null
    if (seconds === null || held === undefined) {
      return releaseRun(transaction, fence, { ...step, delaySeconds: 0 })
    }
    const delaySeconds = Math.max(0, seconds) + marginSeconds
    return releaseRun(transaction, fence, { ...step, held, delaySeconds })
  })
}

/** A request with its call in the ledger. */
export interface StoredRequest {
  id: string
  runId: string
  name: string
  sensitive: boolean
  status: RequestStatus
  /** How often it was given out since it was requested last. */
  tries: number
  timeoutSeconds: number
  isInTime: boolean
  isLeaseOver: boolean
  lease: string | null
  /** Hexadecimal. */
  reportHash: string | null
  position: number
  turn: number
  place: number
  role: string
  call: {
    id: string
    tool: string
    sensitive: boolean
    status: CallStatus
    output: string | null
    decision: 'approved' | 'edited' | 'rejected' | 'answered' | 'expired' | 'refused' | null
    input: Record<string, unknown> | null
    unknownReason: string | null
    timesMade: number
  }
  /** Bytes of all tool results of the run so far. */
  toolBytes: number
  /** How long the run has waited for requests without a worker, and not yet counted; 0 if it has not. */
  waitedMs: number
}

/** The run and the step of a request; undefined if the account has no such request. */
export async function findRequestedRun(
  database: Database | Transaction,
  accountId: string,
  id: string,
): Promise<(RunKey & { step: { position: number; role: string } }) | undefined> {
  const query = sql<{ runId: string; position: number; role: string }>`
    select request.run_id as "runId", request.step_position::int as position, steps.role
    from requested_calls as request
    join steps on steps.account_id = request.account_id and steps.run_id = request.run_id
      and steps.position = request.step_position
    where request.account_id = ${accountId} and request.id = ${id}`
  const [row] = await run(database, accountId, query)
  return row && { accountId, runId: row.runId, step: { position: row.position, role: row.role } }
}

/** A request, locked until the transaction ends. Its run must be locked. */
export async function lockRequest(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<StoredRequest | undefined> {
  const query = sql<StoredRequest>`
    select request.id, request.run_id as "runId", request.name, request.sensitive, request.status,
           request.try - request.earlier_tries as tries, request.timeout_seconds as "timeoutSeconds",
           request.expires_at > now() as "isInTime",
           coalesce(request.lease_expires_at <= now(), false) as "isLeaseOver", request.lease,
           encode(request.report_hash, 'hex') as "reportHash", request.step_position::int as position,
           request.turn::int as turn, request.position::int as place, steps.role,
           json_build_object('id', call.id, 'tool', call.tool, 'sensitive', call.sensitive,
             'status', call.status, 'output', call.output, 'decision', call.decision, 'input', call.input,
             'unknownReason', call.unknown_reason, 'timesMade', call.times_made) as call,
           runs.tool_bytes::float8 as "toolBytes",
           case when runs.status = 'running' and exists (
             select from jobs where jobs.account_id = request.account_id and jobs.run_id = request.run_id
               and worker is null)
           then coalesce(greatest(0, extract(epoch from now() - runs.counted_to) * 1000), 0)::float8
           else 0 end as "waitedMs"
    from requested_calls as request
    join tool_calls as call on call.account_id = request.account_id and call.run_id = request.run_id
      and call.step_position = request.step_position and call.turn = request.turn
      and call.position = request.position
    join steps on steps.account_id = request.account_id and steps.run_id = request.run_id
      and steps.position = request.step_position
    join runs on runs.account_id = request.account_id and runs.id = request.run_id
    where request.account_id = ${accountId} and request.id = ${id}
    for update of request`
  return (await run(transaction, accountId, query))[0]
}

/** How a request is closed, and what the ledger says about its call. */
export interface Closing {
  status: 'succeeded' | 'failed' | 'unknown'
  /** For the agent; null while a person may be asked about an unknown outcome. */
  output: string | null
  unknownReason: string | null
  /** What a worker reported; undefined if nobody did. */
  report?: { output?: unknown; error?: string; hash: string }
  events: RunEvent[]
}

/** Closes a locked request of a locked run, and records the outcome in the ledger. */
export async function closeRequest(
  transaction: Transaction,
  accountId: string,
  request: StoredRequest,
  { status, output, unknownReason, report, events }: Closing,
): Promise<void> {
  // Otherwise the time up to this event would count as run time.
  const waited = Math.round(request.waitedMs)
  const shown = report?.output === undefined ? null : JSON.stringify(report.output)
  const query = sql`
    with changed as (
      update runs as run
      set tool_bytes = tool_bytes + ${Buffer.byteLength(output ?? '')},
          waited_ms = waited_ms + ${waited},
          counted_to = ${waited > 0 ? sql`now()` : sql`counted_to`},
          last_sequence = last_sequence + ${events.length}
      where account_id = ${accountId} and id = ${request.runId} and finished_at is null
      returning ${changedBy(events)}
    ), settled as (
      update tool_calls
      set status = ${status}, output = ${output}, unknown_reason = ${unknownReason},
          finished_at = case when ${output}::text is not null then (select now()) end
      from changed
      where tool_calls.account_id = changed.account_id and tool_calls.run_id = changed.id
        and step_position = ${request.position} and turn = ${request.turn}
        and tool_calls.position = ${request.place} and tool_calls.status in ('executing', 'unknown')
    ), closed as (
      update requested_calls
      set status = ${status}, due_at = null, lease_expires_at = null, finished_at = (select now()),
          output = ${shown}::json, error = ${report?.error ?? null},
          report_hash = decode(${report?.hash ?? null}::text, 'hex')
      from changed
      where requested_calls.account_id = changed.account_id and requested_calls.id = ${request.id}
    ), ${recordChange()}
    ${endChange(sql`select 1 as one from changed`)}`
  await execute(transaction, accountId, query)
}

/** Makes a locked request open to claims again, in what is left of its time. */
export async function reopenRequest(
  transaction: Transaction,
  accountId: string,
  { id, runId, position, turn, place }: StoredRequest,
): Promise<void> {
  const query = sql`
    with reopened as (
      update requested_calls as request
      set status = 'requested', lease = null, lease_expires_at = null, due_at = expires_at, finished_at = null
      where account_id = ${accountId} and id = ${id}
      returning ${requestNotice}
    ), executing as (
      update tool_calls set status = 'executing', unknown_reason = null
      where account_id = ${accountId} and run_id = ${runId} and step_position = ${position}
        and turn = ${turn} and tool_calls.position = ${place} and status = 'unknown' and output is null
    )
    ${withNotices(sql`select 1 as one from reopened`, 'reopened')}`
  await execute(transaction, accountId, query)
}

/**
 * Makes the job of a locked run ready if none of its requests is open, or at once. A worker that executes the run looks
 * by itself when it releases it.
 */
export async function wakeRequester(
  transaction: Transaction,
  { accountId, runId }: RunKey,
  { isNow = false } = {},
): Promise<void> {
  const query = sql`
    with woken as (
      update jobs set ready_at = (select date_trunc('milliseconds', now()))
      where account_id = ${accountId} and run_id = ${runId} and worker is null and ready_at > now()
        and (${isNow} or not exists (
          select from requested_calls
          where requested_calls.account_id = ${accountId} and requested_calls.run_id = ${runId}
            and due_at is not null))
      returning ${notice({ channel: jobChannel })}
    )
    ${withNotices(sql`select 1 as one from woken`, 'woken')}`
  await execute(transaction, accountId, query)
}

/**
 * Restarts a locked, running run: the outcome of a call has become known while its worker was about to ask a person
 * about it. The fence is raised, so that this worker writes nothing more.
 */
export async function restartRun(
  transaction: Transaction,
  { accountId, runId }: RunKey,
): Promise<void> {
  const query = sql`
    with changed as (
      update runs set attempt = attempt + 1
      where account_id = ${accountId} and id = ${runId} and status = 'running'
      returning account_id, id
    ), ready as (${enqueue(sql`select account_id, id, true, 0 from changed`)})
    ${withNotices(sql`select 1 as one from ready`, 'ready')}`
  await run(transaction, accountId, query)
}
