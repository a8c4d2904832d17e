import { sql, type RawBuilder } from 'kysely'
import type { Home } from '../db/home.ts'

/** On which the senders of all processes hear of deliveries to make. */
export const deliveryChannel = 'muster_deliveries'

/** For the RETURNING of a statement that makes deliveries due: told at its commit, once. */
export const notifySenders = sql`pg_notify(${sql.lit(deliveryChannel)}, '')`

/** The same where a node cannot tell: a column of what is to be told. */
export function tellSenders(home: Home): RawBuilder<unknown> {
  if (home === undefined) return notifySenders
  const notice = JSON.stringify([{ channel: deliveryChannel, payload: '', account: null }])
  return sql`json ${sql.lit(notice)} as told`
}
