import { sql, type RawBuilder } from 'kysely'
import { notifySenders } from './notify.ts'

/**
 * The body of a CTE that writes a delivery for each endpoint that wants an event of a changed run,
 * in the statement that changes it. `source` is a CTE with the columns `id`, `account_id`,
 * `last_sequence`, `events` and `run`, the changed row whole.
 */
export function writeDeliveries(source: string): RawBuilder<unknown> {
  return sql`
    insert into webhook_deliveries
      (id, account_id, endpoint_id, event_id, event_type, run_id, snapshot)
    select new_id('dlv'), changed.account_id, endpoint.id, event.value ->> 'id',
           event.value ->> 'type', changed.id,
           jsonb_build_object(
             'id', changed.id,
             'workflow_id', (changed.run).workflow_id,
             'status', (changed.run).status,
             'error', (changed.run).error,
             'error_code', (changed.run).error_code,
             'total_steps', (changed.run).total_steps,
             'tokens_in', (changed.run).tokens_in,
             'tokens_out', (changed.run).tokens_out,
             'cost_usd', (changed.run).cost_usd,
             'retry_of', (changed.run).retry_of,
             'pending', (changed.run).pending::jsonb || jsonb_build_object(
               'created_at', ${isoTime('waiting_since')},
               'expires_at', ${isoTime('expires_at')}),
             'created_at', ${isoTime('created_at')},
             'started_at', ${isoTime('started_at')},
             'finished_at', ${isoTime('finished_at')},
             'sequence',
             changed.last_sequence - json_array_length(changed.events) + event.number)
    from ${sql.ref(source)} as changed
    cross join lateral
      json_array_elements(changed.events) with ordinality as event (value, number)
    join webhook_endpoints as endpoint
      on endpoint.account_id = changed.account_id and endpoint.active
      and event.value ->> 'type' = any (endpoint.events)
      and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
    -- One that is deleted meanwhile is passed over; without the lock the foreign key would fail the
    -- statement, and with it the changes of other runs.
    for key share of endpoint
    returning ${notifySenders}`
}

function isoTime(column: string): RawBuilder<unknown> {
  return sql`to_char((changed.run).${sql.raw(column)} at time zone 'UTC',
                     'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
