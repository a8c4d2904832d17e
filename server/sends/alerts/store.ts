import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { OwnedTable } from '../../db/owned-table.ts'
import { eachAccount, inScope, run } from '../../db/run.ts'
import { mayWork } from '../../work/claim.ts'
import { Alert } from './schema.ts'

/** SQL of alerts; `causes-store.ts` finds their causes. */
export const alerts = new OwnedTable<Alert>('alerts', Object.keys(Alert.properties))

export async function beginWatching(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<void> {
  await sql`
    update alerts set told_until = now() where account_id = ${accountId} and id = ${id}`.execute(
    transaction,
  )
}

/** Limit of alerts for one pass. */
const atOnce = 200

/** Active alerts that were not checked for some time and whose pause is over, the longest unchecked first. */
export async function listToCheck(
  database: Database,
  everySeconds: number,
): Promise<{ accountId: string; id: string }[]> {
  const found: { accountId: string; id: string }[] = []
  const due = sql`active and checked_at <= now() - ${everySeconds}::float8 * interval '1 second'
    and (last_fired_at is null
         or last_fired_at + at_most_every_minutes * interval '1 minute' <= now())`
  await eachAccount(database, sql`alerts where ${due}`, async (scope) => {
    const query = sql<{ accountId: string; id: string }>`
      select account_id as "accountId", id from alerts
      where ${due} and ${mayWork('alerts')}${inScope('alerts', scope)}
      order by checked_at limit ${sql.lit(atOnce)}`
    return found.push(...(await run(database, scope, query)))
  })
  return found
}

export interface DueAlert extends Alert {
  told_until: Date
  /** The time of the database. */
  at: Date
}

/**
 * Locks an alert for its check; undefined if another process is checking it, or it was deleted or
 * has just fired.
 */
export async function lockAlert(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<DueAlert | undefined> {
  const { rows } = await sql<DueAlert>`
    select ${alerts.fields}, told_until, now() as at from alerts
    where account_id = ${accountId} and id = ${id} and active
      and (last_fired_at is null
           or last_fired_at + at_most_every_minutes * interval '1 minute' <= now())
    for no key update skip locked`.execute(transaction)
  return rows[0]
}

export async function recordCheck(
  transaction: Transaction,
  accountId: string,
  id: string,
  { fired }: { fired: boolean },
): Promise<void> {
  await sql`
    update alerts
    set checked_at = now()${fired ? sql`, last_fired_at = now(), told_until = now()` : sql``}
    where account_id = ${accountId} and id = ${id}`.execute(transaction)
}
