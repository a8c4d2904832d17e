import { sql } from 'kysely'

/** Where pg-boss keeps its jobs, for the statements that are not its own. */
export const schema = 'pgboss'
export const queueName = 'run'

export const jobTable = sql.raw(`${schema}.job_common`)
export const queueTable = sql.raw(`${schema}.queue`)

export const isOurs = sql.raw(`name = '${queueName}'`)

/** Jobs of the queue that nobody works on. As in the index on them, word for word, or it is not used. */
export const isReady = sql.raw(`name = '${queueName}' and state < 'active'::${schema}.job_state`)
