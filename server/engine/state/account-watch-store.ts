import { sql } from 'kysely'
import { runTable } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { run } from '../../db/run.ts'
import { notice } from '../../db/fragments.ts'
import type { RunKey, RunStatus } from './run.ts'

/** On which processes hear of runs that changed in accounts that somebody watches. */
export const changeChannel = 'muster_changes'

/** How long an account counts as watched without being named again. */
const watchSeconds = 30

/**
 * For the RETURNING of the statement that appends events: names the run that changed, if its account is watched.
 * The letter `p` says that its pending request may be another.
 */
export const changeNotice = notice({
  channel: changeChannel,
  payload: sql`
    events.account_id || ' ' || events.run_id ||
      case when events.type like 'run.%'
             and events.type not in ('run.queued', 'run.started', 'run.completed')
           then ' p' else '' end`,
  watched: sql.ref('events.account_id'),
})

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
  return run(database, runs, query)
}
