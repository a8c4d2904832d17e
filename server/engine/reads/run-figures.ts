import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import type { RunStatus } from '../run/run.ts'
import { hasWarnings } from './runs.ts'

/** Reads of many runs at once, for batches, without their texts except errors. */
export interface RunState {
  id: string
  status: RunStatus
  error: string | null
  error_code: string | null
  cost_usd: number
  calls_without_price: number
  has_warnings: boolean
}

/** States of runs by id; runs that do not exist are left out. */
export async function readRunStates(
  database: Database | Transaction,
  accountId: string,
  ids: string[],
): Promise<Map<string, RunState>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<RunState>`
    select id, status, error, error_code, cost_usd::float8 as cost_usd, calls_without_price,
           ${hasWarnings} as has_warnings
    from runs where account_id = ${accountId} and id = any(${ids})`.execute(database)
  return new Map(rows.map((row) => [row.id, row]))
}

export interface Figures {
  runs: number
  cost_p50: number | null
  cost_p95: number | null
  seconds_p50: number | null
  seconds_p95: number | null
  /** Model calls of these runs whose model had no price. */
  unpriced: number
}

/** Cost and duration of the newest completed runs of a workflow. */
export async function readFigures(
  database: Database,
  accountId: string,
  workflowId: string,
  limit: number,
): Promise<Figures> {
  const { rows } = await sql<Figures>`
    select count(*)::int as runs,
           percentile_cont(0.5) within group (order by cost) as cost_p50,
           percentile_cont(0.95) within group (order by cost) as cost_p95,
           percentile_cont(0.5) within group (order by seconds) as seconds_p50,
           percentile_cont(0.95) within group (order by seconds) as seconds_p95,
           coalesce(sum(calls_without_price), 0)::int as unpriced
    from (select cost_usd::float8 as cost, calls_without_price,
                 extract(epoch from finished_at - started_at)::float8 as seconds
          from runs
          where account_id = ${accountId} and workflow_id = ${workflowId} and status = 'completed'
          order by created_at desc, id desc limit ${limit}::int) as newest`.execute(database)
  return rows[0] as Figures
}

/** Names of the fields of the runs' structured outputs, sorted. */
export async function readOutputFields(
  database: Database,
  accountId: string,
  ids: string[],
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct name from runs cross join lateral json_object_keys(output_json) as name
    where account_id = ${accountId} and id = any(${ids}) and output_json is not null
    order by name limit ${limit}::int`.execute(database)
  return rows.map(({ name }) => name)
}

/** The structured outputs of runs, by id, of which each takes up to so many bytes. */
export async function readSmallOutputs(
  database: Database,
  accountId: string,
  ids: string[],
  maxBytes: number,
): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; output: Record<string, unknown> }>`
    select id, output_json as output from runs
    where account_id = ${accountId} and id = any(${ids})
      and octet_length(output_json::text) <= ${maxBytes}::int`.execute(database)
  return new Map(rows.map(({ id, output }) => [id, output]))
}

/** Ids of the retries of each run. */
export async function findRetries(
  database: Database,
  accountId: string,
  ids: string[],
): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ of: string; ids: string[] }>`
    select retry_of as of, array_agg(id) as ids from runs
    where account_id = ${accountId} and retry_of = any(${ids})
    group by retry_of`.execute(database)
  return new Map(rows.map(({ of, ids: found }) => [of, found]))
}

/** Ids of the requests for which runs wait, by run. */
export async function readPendingIds(
  database: Database | Transaction,
  accountId: string,
  ids: string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; pendingId: string }>`
    select id, pending ->> 'id' as "pendingId" from runs
    where account_id = ${accountId} and id = any(${ids}) and status = 'waiting_input'`.execute(
    database,
  )
  return new Map(rows.map(({ id, pendingId }) => [id, pendingId]))
}

export interface RunResult {
  status: RunStatus
  error: string | null
  error_code: string | null
  output: string | null
  output_json: Record<string, unknown> | null
  cost_usd: number
  tokens_in: number
  tokens_out: number
  /** Files that its agents wrote. */
  files: { id: string; name: string }[]
}

/** The state of a run, and its result once it has ended; undefined if there is no such run. */
export async function readResult(
  database: Database,
  accountId: string,
  id: string,
): Promise<RunResult | undefined> {
  const { rows } = await sql<RunResult>`
    select status, error, error_code, output, output_json, cost_usd::float8 as cost_usd, tokens_in, tokens_out,
           coalesce((select json_agg(json_build_object('id', file_id, 'name', name) order by position) from run_files
                     where account_id = ${accountId} and run_id = ${id} and direction = 'output'), '[]') as files
    from runs where account_id = ${accountId} and id = ${id}`.execute(database)
  return rows[0]
}
