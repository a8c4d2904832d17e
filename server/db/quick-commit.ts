import { sql } from 'kysely'

/**
 * For what may be lost with the last moments before the server crashes: nobody waits until the disk has it. Any
 * later commit that does wait has it written too, as the log is one. The statement has to read or return it; Citus
 * returns nothing that is not a constant.
 */
export const quickCommit = sql`set_config('synchronous_commit', 'off', true)`
