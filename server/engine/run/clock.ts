/**
 * The time of a run, as SQL. A run works, or it waits: for a person (`waiting_since`, while it has a pending
 * request), for a provider or a worker (`held_since`), or for its turn in the queue. `waited_ms` sums up all waits that
 * are over, and the run time is what is left since `started_at`. `counted_to` is until when a worker was known to have
 * the run: what it did after its last event before it died counts as a wait.
 */

/** The columns of a wait for a person that ends now; not for `case` or `coalesce` of a statement through Citus. */
export const endOfWait = `waiting_since = null, expires_at = null,
          waited_ms = waited_ms + ${waitForPerson('waiting_since')}`

/** All waits of a run up to now, one for a person that goes on included. */
export function waitedUntilNow(table: string): string {
  return `${table}.waited_ms + coalesce(${waitForPerson(`${table}.waiting_since`)}, 0)`
}

function waitForPerson(since: string): string {
  return `(extract(epoch from now() - ${since}) * 1000)::bigint`
}

/** Milliseconds that a run has worked, up to a time. */
export function runTime(row: string, until: string): string {
  return `(extract(epoch from ${until} - ${row}started_at) * 1000)::float8 - ${row}waited_ms`
}

/** How long a run is held for a provider that is away, in milliseconds; 0 for one that is not. */
export function heldForProvider(row: string): string {
  return `case when ${row}.held ->> 'reason' = 'provider_unavailable'
             then coalesce(extract(epoch from now() - ${row}.held_since) * 1000, 0)::float8
             else 0 end`
}
