/**
 * The clock of a run, as SQL. A run is running, or it waits: for a person (`waiting_since`, while
 * it has a pending request), for a provider or a worker (`held_since`), or in the queue.
 * `waited_ms` sums up the finished waits; run time is the rest of the time since `started_at`.
 * `counted_to` is when a worker was last known to have the run: time after that, until the next
 * take, counts as a wait.
 */

/** Ends a wait for a person now. Citus rejects this in a `case` or `coalesce` of an update. */
export const endOfWait = `waiting_since = null, expires_at = null,
          waited_ms = waited_ms + ${waitForPerson('waiting_since')}`

/** All waits of a run up to now, including a current wait for a person. */
export function waitedUntilNow(table: string): string {
  return `${table}.waited_ms + coalesce(${waitForPerson(`${table}.waiting_since`)}, 0)`
}

function waitForPerson(since: string): string {
  return `(extract(epoch from now() - ${since}) * 1000)::bigint`
}

/** Run time in milliseconds, up to a point in time. */
export function runTime(row: string, until: string): string {
  return `(extract(epoch from ${until} - ${row}started_at) * 1000)::float8 - ${row}waited_ms`
}

/**
 * How long a run has been held because its provider is unavailable, in milliseconds; 0 if it is
 * not.
 */
export function heldForProvider(row: string): string {
  return `case when ${row}.held ->> 'reason' = 'provider_unavailable'
             then coalesce(extract(epoch from now() - ${row}.held_since) * 1000, 0)::float8
             else 0 end`
}
