import { sql, type RawBuilder } from 'kysely'
import { atHome } from '../../db/at-home.ts'
import { runTable } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { homeOf } from '../../db/home.ts'
import type { RunKey, RunStatus } from './run.ts'

/** On which processes hear of runs that changed in accounts that somebody watches. */
export const changeChannel = 'muster_changes'

/** How long an account counts as watched without being named again. */
const watchSeconds = 30

/** Names the run; the mark `p` says that what it waits for may be another. */
function notice(table: string): RawBuilder<string> {
  const of = (column: string) => sql.ref(`${table}.${column}`)
  return sql`
    ${of('account_id')} || ' ' || ${of('run_id')} ||
      case when ${of('type')} like 'run.%'
             and ${of('type')} not in ('run.queued', 'run.started', 'run.completed')
           then ' p' else '' end`
}

/**
 * For the RETURNING of the statement that appends events: tells which run changed, once a commit, if its
 * account is watched.
 */
export const notifyWatchers = sql`
  case when exists (select from account_watches
                    where account_watches.account_id = events.account_id and until > now())
       then pg_notify(${sql.lit(changeChannel)}, ${notice('events')}) end`

/** The same of the CTE `logged`, for whoever can tell. */
export const changeNotices = sql`
  select ${sql.lit(changeChannel)}, ${notice('logged')}, account_id from logged`

/** Marks accounts as watched; answers the number of its transaction. */
export async function watchAccounts(database: Database, accountIds: string[]): Promise<string> {
  const { rows } = await sql<{ xid: string }>`
    insert into account_watches (account_id, until)
    select id, now() + make_interval(secs => ${watchSeconds})
    from unnest(${accountIds}::text[]) as watched (id) order by id
    on conflict (account_id) do update set until = excluded.until
    returning pg_current_xact_id()::text as xid`.execute(database)
  return rows[0]?.xid ?? ''
}

/** Whether all transactions have ended that began before that one was seen, so that every later one tells. */
export async function isPast(database: Database, xid: string): Promise<boolean> {
  const { rows } = await sql<{ past: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) > ${xid}::xid8 as past`.execute(database)
  return rows[0]?.past === true
}

/** How a run stands. */
export interface Standing {
  runId: string
  status: RunStatus
  sequence: number
  pendingId: string | null
}

interface Gone {
  runId: string
  status: null
}

export async function readStandings(
  database: Database,
  runs: RunKey[],
): Promise<(Standing | Gone)[]> {
  const query = sql<Standing | Gone>`
    select asked.id as "runId", status, last_sequence as sequence, pending ->> 'id' as "pendingId"
    from ${runTable(runs)} as asked
    left join runs on runs.account_id = asked.account_id and runs.id = asked.id`
  return atHome(database, homeOf(database, runs), query)
}
