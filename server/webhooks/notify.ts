import { sql } from 'kysely'

/** On which the senders of all processes hear of deliveries to make. */
export const deliveryChannel = 'muster_deliveries'

/** For the RETURNING of a statement that makes deliveries due: told at its commit, once. */
export const notifySenders = sql`pg_notify(${sql.lit(deliveryChannel)}, '')`
