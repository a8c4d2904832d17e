-- Written by `npm run statements`. Each statement of the journal, as PostgreSQL gets it.

-- begin: a run is triggered
  with input as materialized (
    select * from json_to_recordset($1::json) as input
      (number int, id text, account_id text, workflow_id text, workflow_version int, input text, data text, triggered_by text, triggerer_name text, on_behalf_of jsonb, tags jsonb, thread_id text, turn int, context text, checked text, state text, begun_version int, event_count int, events json,
       hash text, step_id text, role text, model text, marks json, audit json)
    where (input.number || '') = input.number::text
  ), workflow as materialized (
    select workflows.account_id, workflows.id, workflows.status,
           md5(workflows.input_schema::text) as schema_hash,
           null::text as state
    from (select distinct account_id, workflow_id from input) as wanted
    join workflows on workflows.account_id = wanted.account_id
      and workflows.id = wanted.workflow_id
    order by workflows.account_id, workflows.id for key share of workflows
  ),
  made as materialized (
    select account_id, run_id, row_number() over (order by account_id, run_id) as slot,
           row_number() over (partition by account_id order by run_id) as number
    from (
      select account_id, id from input
      where ((input.account_id, input.workflow_id, coalesce(input.checked, '')) in (
          select account_id, id, coalesce(schema_hash, '') from workflow where status = 'active')) is true
        ) as source (account_id, run_id)
  ), room as materialized (
    select account_id,
           case when exists (select from jobs where jobs.account_id = account.account_id
                               and worker is null and ready_at <= now()) then 0
             else $2::int - (
               select count(*) from jobs where jobs.account_id = account.account_id) end as room
    from (select distinct account_id from made where $3 > 0) as account
    where "account"."account_id" not in (
  select account_id from account_holds where until > now())
  ), placed as materialized (
    select made.account_id, run_id,
           slot <= $4 and number <= coalesce(room, 0) as is_held
    from made left join room using (account_id)
  ), inserted as (
    insert into runs as run (id, account_id, workflow_id, workflow_version, input, data, triggered_by, triggerer_name, on_behalf_of, tags, thread_id, turn, context, epoch, last_sequence, status, attempt, takes_without_progress, started_at,
                             counted_to, definition_hash)
    select id, account_id, workflow_id, case when begins then begun_version else workflow_version end, input, data::json, triggered_by, triggerer_name, on_behalf_of, tags, thread_id, turn, context, (select max(number) from epochs),
           case when begins then event_count else 1 end,
           case when begins then 'running' else 'queued' end,
           case when begins then (select max(number) from epochs) * 1000000 + 1 else 0 end,
           begins::int,
           case when begins then now() end,
           case when begins then now() end,
           case when begins then decode(hash, 'hex') end
    from (
      select *, (state in (select state from workflow)) is true
                and ((account_id, id) in (select account_id, run_id from placed where is_held)) is true
                as begins
      from input where ((account_id, id) in (select account_id, run_id from placed)) is true
      offset 0) as placed_input
    on conflict (account_id, id) do nothing
    returning account_id, id, created_at, attempt, last_sequence, run
  ), changed as (
    select inserted.*, inserted.last_sequence as event_count,
           case when attempt = 0 then json_build_array(events -> 0) else events end as events
    from inserted join input using (account_id, id)
  ), audited as (
  insert into audit (account_id, id, actor_type, actor_id, actor_name, action, object_type,
                     object_id, before, after, address, request_id)
  select row.* from (
      select audit from input
      where ((input.account_id, input.id) in (select account_id, id from changed)) is true) as source (entry), json_to_record(source.entry) as row
    (account_id text, id text, actor_type text, actor_id text, actor_name text, action text,
     object_type text, object_id text, before jsonb, after jsonb, address text, request_id text)
  where source.entry is not null
  on conflict (account_id, id) do nothing
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  , ready as (
  insert into jobs (account_id, run_id, begun, ready_at, worker, lease_until)
  select account_id, run_id, is_held, date_trunc('milliseconds', now()),
         case when is_held then $5 end,
         case when is_held then now() + make_interval(secs => $6::float8 / 1000) end
  from placed where ((account_id, run_id) in (select account_id, id from inserted)) is true
  returning account_id, run_id, worker is not null as is_held,
            case when worker is null then pg_notify('muster_jobs', current_setting('muster.pool', true))::text end as notice)
select account_id || ' ' || id as key, created_at, attempt, null as status, null as hash from inserted
union all select account_id || ' ' || id, null, 0, status, schema_hash from workflow
union all select case when is_held then 'held ' || run_id else '' end, null, 0, null, null from ready;

-- begin: a run with tags is triggered, and started by the same statement
  with input as materialized (
    select * from json_to_recordset($1::json) as input
      (number int, id text, account_id text, workflow_id text, workflow_version int, input text, data text, triggered_by text, triggerer_name text, on_behalf_of jsonb, tags jsonb, thread_id text, turn int, context text, checked text, state text, begun_version int, event_count int, events json,
       hash text, step_id text, role text, model text, marks json, audit json)
    where (input.number || '') = input.number::text
  ), workflow as materialized (
    select workflows.account_id, workflows.id, workflows.status,
           md5(workflows.input_schema::text) as schema_hash,
case when not exists (
  select from memory_entries as entry
  where entry.account_id = workflows.account_id and entry.workflow_id = workflows.id)
then workflows.id || ' ' || workflows.updated_at || ' ' || workflows.xmin end as state
    from (select distinct account_id, workflow_id from input) as wanted
    join workflows on workflows.account_id = wanted.account_id
      and workflows.id = wanted.workflow_id
    order by workflows.account_id, workflows.id for key share of workflows
  ),
  made as materialized (
    select account_id, run_id, row_number() over (order by account_id, run_id) as slot,
           row_number() over (partition by account_id order by run_id) as number
    from (
      select account_id, id from input
      where ((input.account_id, input.workflow_id, coalesce(input.checked, '')) in (
          select account_id, id, coalesce(schema_hash, '') from workflow where status = 'active')) is true
        ) as source (account_id, run_id)
  ), room as materialized (
    select account_id,
           case when exists (select from jobs where jobs.account_id = account.account_id
                               and worker is null and ready_at <= now()) then 0
             else $2::int - (
               select count(*) from jobs where jobs.account_id = account.account_id) end as room
    from (select distinct account_id from made where $3 > 0) as account
    where "account"."account_id" not in (
  select account_id from account_holds where until > now())
  ), placed as materialized (
    select made.account_id, run_id,
           slot <= $4 and number <= coalesce(room, 0) as is_held
    from made left join room using (account_id)
  ), inserted as (
    insert into runs as run (id, account_id, workflow_id, workflow_version, input, data, triggered_by, triggerer_name, on_behalf_of, tags, thread_id, turn, context, epoch, last_sequence, status, attempt, takes_without_progress, started_at,
                             counted_to, definition_hash)
    select id, account_id, workflow_id, case when begins then begun_version else workflow_version end, input, data::json, triggered_by, triggerer_name, on_behalf_of, tags, thread_id, turn, context, (select max(number) from epochs),
           case when begins then event_count else 1 end,
           case when begins then 'running' else 'queued' end,
           case when begins then (select max(number) from epochs) * 1000000 + 1 else 0 end,
           begins::int,
           case when begins then now() end,
           case when begins then now() end,
           case when begins then decode(hash, 'hex') end
    from (
      select *, (state in (select state from workflow)) is true
                and ((account_id, id) in (select account_id, run_id from placed where is_held)) is true
                as begins
      from input where ((account_id, id) in (select account_id, run_id from placed)) is true
      offset 0) as placed_input
    on conflict (account_id, id) do nothing
    returning account_id, id, created_at, attempt, last_sequence, run
  ), changed as (
    select inserted.*, inserted.last_sequence as event_count,
           case when attempt = 0 then json_build_array(events -> 0) else events end as events
    from inserted join input using (account_id, id)
  ), audited as (
  insert into audit (account_id, id, actor_type, actor_id, actor_name, action, object_type,
                     object_id, before, after, address, request_id)
  select row.* from (
      select audit from input
      where ((input.account_id, input.id) in (select account_id, id from changed)) is true) as source (entry), json_to_record(source.entry) as row
    (account_id text, id text, actor_type text, actor_id text, actor_name text, action text,
     object_type text, object_id text, before jsonb, after jsonb, address text, request_id text)
  where source.entry is not null
  on conflict (account_id, id) do nothing
  ), marked as (
  insert into run_marks (account_id, run_id, created_at, mark)
  select source.account_id, source.run_id, source.created_at, mark
  from (
select account_id, id, now(), marks from input
where marks is not null
  and ((input.account_id, input.id) in (select account_id, id from changed)) is true) as source (account_id, run_id, created_at, marks),
       json_array_elements_text(source.marks) as mark
  where source.marks is not null
  on conflict (account_id, run_id, mark) do nothing), opened as (
insert into steps (account_id, run_id, position, id, role, model)
select account_id, id, 0, step_id, role, model from input
where ((account_id, id) in (select account_id, id from inserted where attempt > 0)) is true),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  , ready as (
  insert into jobs (account_id, run_id, begun, ready_at, worker, lease_until)
  select account_id, run_id, is_held, date_trunc('milliseconds', now()),
         case when is_held then $5 end,
         case when is_held then now() + make_interval(secs => $6::float8 / 1000) end
  from placed where ((account_id, run_id) in (select account_id, id from inserted)) is true
  returning account_id, run_id, worker is not null as is_held,
            case when worker is null then pg_notify('muster_jobs', current_setting('muster.pool', true))::text end as notice)
select account_id || ' ' || id as key, created_at, attempt, null as status, null as hash from inserted
union all select account_id || ' ' || id, null, 0, status, schema_hash from workflow
union all select case when is_held then 'held ' || run_id else '' end, null, 0, null, null from ready;

-- begin: a run is triggered with a version
  with input as materialized (
    select * from json_to_recordset($1::json) as input
      (number int, id text, account_id text, workflow_id text, workflow_version int, input text, data text, triggered_by text, triggerer_name text, on_behalf_of jsonb, tags jsonb, thread_id text, turn int, context text, checked text, state text, begun_version int, event_count int, events json,
       hash text, step_id text, role text, model text, marks json, audit json)
    where (input.number || '') = input.number::text
  ), workflow as materialized (
    select workflows.account_id, workflows.id, workflows.status,
           md5(workflows.input_schema::text) as schema_hash,
           null::text as state
    from (select distinct account_id, workflow_id from input) as wanted
    join workflows on workflows.account_id = wanted.account_id
      and workflows.id = wanted.workflow_id
    order by workflows.account_id, workflows.id for key share of workflows
  ),
  made as materialized (
    select account_id, run_id, row_number() over (order by account_id, run_id) as slot,
           row_number() over (partition by account_id order by run_id) as number
    from (
      select account_id, id from input
      where ((input.account_id, input.workflow_id, coalesce(input.checked, '')) in (
          select account_id, id, coalesce(schema_hash, '') from workflow where status = 'active')) is true
or (input.workflow_version is not null and ((input.account_id, input.workflow_id) in (
      select account_id, id from workflow where status = 'active')) is true)) as source (account_id, run_id)
  ), room as materialized (
    select account_id,
           case when exists (select from jobs where jobs.account_id = account.account_id
                               and worker is null and ready_at <= now()) then 0
             else $2::int - (
               select count(*) from jobs where jobs.account_id = account.account_id) end as room
    from (select distinct account_id from made where $3 > 0) as account
    where "account"."account_id" not in (
  select account_id from account_holds where until > now())
  ), placed as materialized (
    select made.account_id, run_id,
           slot <= $4 and number <= coalesce(room, 0) as is_held
    from made left join room using (account_id)
  ), inserted as (
    insert into runs as run (id, account_id, workflow_id, workflow_version, input, data, triggered_by, triggerer_name, on_behalf_of, tags, thread_id, turn, context, epoch, last_sequence, status, attempt, takes_without_progress, started_at,
                             counted_to, definition_hash)
    select id, account_id, workflow_id, case when begins then begun_version else workflow_version end, input, data::json, triggered_by, triggerer_name, on_behalf_of, tags, thread_id, turn, context, (select max(number) from epochs),
           case when begins then event_count else 1 end,
           case when begins then 'running' else 'queued' end,
           case when begins then (select max(number) from epochs) * 1000000 + 1 else 0 end,
           begins::int,
           case when begins then now() end,
           case when begins then now() end,
           case when begins then decode(hash, 'hex') end
    from (
      select *, (state in (select state from workflow)) is true
                and ((account_id, id) in (select account_id, run_id from placed where is_held)) is true
                as begins
      from input where ((account_id, id) in (select account_id, run_id from placed)) is true
      offset 0) as placed_input
    on conflict (account_id, id) do nothing
    returning account_id, id, created_at, attempt, last_sequence, run
  ), changed as (
    select inserted.*, inserted.last_sequence as event_count,
           case when attempt = 0 then json_build_array(events -> 0) else events end as events
    from inserted join input using (account_id, id)
  ), audited as (
  insert into audit (account_id, id, actor_type, actor_id, actor_name, action, object_type,
                     object_id, before, after, address, request_id)
  select row.* from (
      select audit from input
      where ((input.account_id, input.id) in (select account_id, id from changed)) is true) as source (entry), json_to_record(source.entry) as row
    (account_id text, id text, actor_type text, actor_id text, actor_name text, action text,
     object_type text, object_id text, before jsonb, after jsonb, address text, request_id text)
  where source.entry is not null
  on conflict (account_id, id) do nothing
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  , ready as (
  insert into jobs (account_id, run_id, begun, ready_at, worker, lease_until)
  select account_id, run_id, is_held, date_trunc('milliseconds', now()),
         case when is_held then $5 end,
         case when is_held then now() + make_interval(secs => $6::float8 / 1000) end
  from placed where ((account_id, run_id) in (select account_id, id from inserted)) is true
  returning account_id, run_id, worker is not null as is_held,
            case when worker is null then pg_notify('muster_jobs', current_setting('muster.pool', true))::text end as notice)
select account_id || ' ' || id as key, created_at, attempt, null as status, null as hash from inserted
union all select account_id || ' ' || id, null, 0, status, schema_hash from workflow
union all select case when is_held then 'held ' || run_id else '' end, null, 0, null, null from ready;

-- begin: a failed run is retried
  with changed as (
    insert into runs as run (account_id, id, workflow_id, input, data, context, tags, retry_of, forked_from,
                             forked_step, definition_hash, workflow_version, total_steps,
                             triggered_by, triggerer_name, on_behalf_of, earlier_triggerers, warnings,
                             last_sequence, epoch)
    select $1, $2, $3, $4,
           data,
           context, $5::jsonb,
           $6, $7,
           $8::smallint,
           null::bytea, null::int, $9,
           $10, $11,
           $12::jsonb,
           array(select distinct unnest(array_remove(
earlier_triggerers || triggered_by
|| array(select person ->> 'id' from jsonb_array_elements(on_behalf_of) as person), null))),
           jsonb_path_query_array(warnings, '$[*] ? (@.step_order < $steps)',
                                  $13::jsonb), 1, (select max(number) from epochs)
    from runs where account_id = $14 and id = $15
    on conflict (account_id, id) do nothing
    returning account_id, id, last_sequence, run,
  $16::int as event_count, $17::json as events
  ), given as (
    select * from json_to_recordset($18::json) as given
      (position int, role text, model text, agent_id text, output text, output_json text,
       reused_from text)
  ), copied as (
    insert into steps (account_id, run_id, position, id, role, model, agent_id, agent_version, output,
                       output_json, finish_reason, reused_from, output_given, started_at, finished_at)
    select changed.account_id, changed.id, steps.position,
           ($19::text[])[steps.position + 1], steps.role, steps.model, steps.agent_id,
           steps.agent_version, steps.output, steps.output_json, steps.finish_reason,
           coalesce(steps.reused_from, steps.run_id), steps.output_given,
           steps.started_at, steps.finished_at
    from changed cross join steps
    where steps.account_id = $20 and steps.run_id = $21
      and steps.output is not null and steps.position < $22
      and steps.position not in (select position from given)
    union all
    select changed.account_id, changed.id, given.position,
           ($23::text[])[given.position + 1], given.role, given.model, given.agent_id,
           null, given.output, given.output_json::json, null, given.reused_from, true, now(), now()
    from changed cross join given
    returning account_id, run_id, agent_id
  ), filed as (
  insert into run_files (account_id, run_id, direction, position, file_id, step_position, name,
                         media_type, bytes)
  select changed.account_id, changed.id, direction, position, file_id, step_position, name, media_type,
         bytes
  from changed cross join run_files
  where run_files.account_id = $24 and run_files.run_id = $25
    and (direction = 'input' or step_position < $26)
  ), marked as (
  insert into run_marks (account_id, run_id, created_at, mark)
  select source.account_id, source.run_id, source.created_at, mark
  from (
      select account_id, id, (run).created_at, $27::json from changed
      union all
      select changed.account_id, changed.id, (changed.run).created_at,
             json_build_array($28 || agent_id)
      from changed, copied where agent_id is not null
      union all
      select account_id, id, (run).created_at, json_build_array($29::text)
      from changed where jsonb_array_length((run).warnings) > 0) as source (account_id, run_id, created_at, marks),
       json_array_elements_text(source.marks) as mark
  where source.marks is not null
  on conflict (account_id, run_id, mark) do nothing
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  , ready as (
  insert into jobs (account_id, run_id, begun, ready_at)
  select account_id, run_id, begun, date_trunc('milliseconds', now() + make_interval(secs => delay_seconds))
  from (select account_id, id, false, 0 from changed) as ready (account_id, run_id, begun, delay_seconds)
  on conflict (account_id, run_id) do update
    set begun = excluded.begun, ready_at = excluded.ready_at, worker = null, lease_until = null
  returning case when ready_at <= now() then pg_notify('muster_jobs', current_setting('muster.pool', true))::text end as notice)
  select 1 as one from ready;

-- begin: a run is forked
  with changed as (
    insert into runs as run (account_id, id, workflow_id, input, data, context, tags, retry_of, forked_from,
                             forked_step, definition_hash, workflow_version, total_steps,
                             triggered_by, triggerer_name, on_behalf_of, earlier_triggerers, warnings,
                             last_sequence, epoch)
    select $1, $2, $3, $4,
           $5::json,
           context, $6::jsonb,
           $7, $8,
           $9::smallint,
           definition_hash, workflow_version, $10,
           $11, $12,
           $13::jsonb,
           array(select distinct unnest(array_remove(
earlier_triggerers || triggered_by
|| array(select person ->> 'id' from jsonb_array_elements(on_behalf_of) as person), null))),
           jsonb_path_query_array(warnings, '$[*] ? (@.step_order < $steps)',
                                  $14::jsonb), 1, (select max(number) from epochs)
    from runs where account_id = $15 and id = $16
    on conflict (account_id, id) do nothing
    returning account_id, id, last_sequence, run,
  $17::int as event_count, $18::json as events
  ), given as (
    select * from json_to_recordset($19::json) as given
      (position int, role text, model text, agent_id text, output text, output_json text,
       reused_from text)
  ), copied as (
    insert into steps (account_id, run_id, position, id, role, model, agent_id, agent_version, output,
                       output_json, finish_reason, reused_from, output_given, started_at, finished_at)
    select changed.account_id, changed.id, steps.position,
           ($20::text[])[steps.position + 1], steps.role, steps.model, steps.agent_id,
           steps.agent_version, steps.output, steps.output_json, steps.finish_reason,
           coalesce(steps.reused_from, steps.run_id), steps.output_given,
           steps.started_at, steps.finished_at
    from changed cross join steps
    where steps.account_id = $21 and steps.run_id = $22
      and steps.output is not null and steps.position < $23
      and steps.position not in (select position from given)
    union all
    select changed.account_id, changed.id, given.position,
           ($24::text[])[given.position + 1], given.role, given.model, given.agent_id,
           null, given.output, given.output_json::json, null, given.reused_from, true, now(), now()
    from changed cross join given
    returning account_id, run_id, agent_id
  ), filed as (
  insert into run_files (account_id, run_id, direction, position, file_id, step_position, name,
                         media_type, bytes)
  select changed.account_id, changed.id, direction, position, file_id, step_position, name, media_type,
         bytes
  from changed cross join run_files
  where run_files.account_id = $25 and run_files.run_id = $26
    and (direction = 'input' or step_position < $27)
  ), marked as (
  insert into run_marks (account_id, run_id, created_at, mark)
  select source.account_id, source.run_id, source.created_at, mark
  from (
      select account_id, id, (run).created_at, $28::json from changed
      union all
      select changed.account_id, changed.id, (changed.run).created_at,
             json_build_array($29 || agent_id)
      from changed, copied where agent_id is not null
      union all
      select account_id, id, (run).created_at, json_build_array($30::text)
      from changed where jsonb_array_length((run).warnings) > 0) as source (account_id, run_id, created_at, marks),
       json_array_elements_text(source.marks) as mark
  where source.marks is not null
  on conflict (account_id, run_id, mark) do nothing
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  , ready as (
  insert into jobs (account_id, run_id, begun, ready_at)
  select account_id, run_id, begun, date_trunc('milliseconds', now() + make_interval(secs => delay_seconds))
  from (select account_id, id, false, 0 from changed) as ready (account_id, run_id, begun, delay_seconds)
  on conflict (account_id, run_id) do update
    set begun = excluded.begun, ready_at = excluded.ready_at, worker = null, lease_until = null
  returning case when ready_at <= now() then pg_notify('muster_jobs', current_setting('muster.pool', true))::text end as notice)
  select 1 as one from ready;

-- take: what a worker reads of runs
  select runs.id as "id",
         runs.account_id as "accountId",
         runs.workflow_id as "workflowId",
         runs.workflow_version as "workflowVersion",
         runs.status as "status",
         runs.input as "input",
         runs.data as "data",
         runs.cost_usd as "costUsd",
         runs.tags as "tags",
         runs.thread_id as "threadId",
         runs.context as "context",
         runs.attempt as "attempt",
         runs.takes_without_progress as "crashCount",
         runs.probation_size as "probationSize",
         runs.last_sequence as "lastSequence",
         runs.tool_bytes as "toolBytes", runs.epoch < (
select coalesce(max(number), 0) from epochs where in_doubt) as "isDoubted",
         runs.held_since is not null and runs.held -> 'isRetry' is null as "isHeld",
         encode(runs.definition_hash, 'hex') as "definitionHash",
exists (select from run_files
        where run_files.account_id = runs.account_id and run_files.run_id = runs.id) as "hasFiles",
         step.prior, step.begun
  from (
  select * from unnest($1::text[], $2::text[])
    with ordinality as input (account_id, id, number)
  where (input.number || '') = input.number::text) as input
  join runs on runs.account_id = input.account_id and runs.id = input.id
  left join lateral (
    select json_agg(json_build_object('role', role, 'output', output,
'isCut', finish_reason = 'length') order by position)
             filter (where output is not null) as prior,
           (json_agg(json_build_object('id', id, 'position', position, 'role', role,
                                        'model', model, 'agentId', agent_id, 'tries', tries,
                                        'turns', turns, 'memory', memory,
                                        'recorded', json_build_object('tokensIn', steps.tokens_in, 'tokensOut', steps.tokens_out, 'costUsd', steps.cost_usd, 'tokensCached', steps.tokens_cached, 'tokensCacheWritten', steps.tokens_cache_written, 'tokensReasoning', steps.tokens_reasoning, 'callsWithoutUsage', steps.calls_without_usage, 'callsWithoutPrice', steps.calls_without_price)))
             filter (where finished_at is null)) -> 0 as begun
    from steps where steps.account_id = runs.account_id
      and steps.run_id = runs.id
  ) as step on runs.status = 'running' or runs.total_steps > 0;

-- take: runs are taken
  with input as materialized (
    select * from json_to_recordset($1::json) as input
      (number int, account_id text, run_id text, attempt int, last_sequence int, hash text,
       workflow_version int, probation_size int, has_waited boolean, step_id text, position int, role text, model text, agent_id text,
       agent_version int, memory json, marks json, event_count int, events json)
    where (input.number || '') = input.number::text
  ), changed as (
    update runs
    set status = 'running', attempt = greatest(runs.attempt, (select max(number) from epochs) * 1000000) + 1,
        takes_without_progress = least(runs.takes_without_progress + 1, 100),
        probation_size = input.probation_size,
        started_at = coalesce(runs.started_at, now()),
        definition_hash = decode(input.hash, 'hex'),
        workflow_version = coalesce(input.workflow_version, runs.workflow_version),
        waited_ms = runs.waited_ms + case when runs.started_at is null then 0 else coalesce(
          (select extract(epoch from now() - greatest(
                    events.created_at, runs.counted_to,
                    case when input.has_waited is null then
                      (select ready_at from jobs where (jobs.account_id = any(array[input.account_id]) and jobs.run_id = any(array[input.run_id]))) end))
           from events
           where events.account_id = input.account_id
             and events.run_id = input.run_id
             and events.sequence = input.last_sequence) * 1000, 0)::bigint end,
        counted_to = now(),
        last_sequence = runs.last_sequence + input.event_count
    from input
    where runs.account_id = input.account_id and runs.id = input.run_id
      and runs.attempt = input.attempt and runs.last_sequence = input.last_sequence
      and runs.status in ('queued', 'running')
      and exists (select from jobs
                  where (jobs.account_id = any(array[input.account_id]) and jobs.run_id = any(array[input.run_id])) and coalesce(jobs.worker, '') = $2)
    returning runs.id, runs.account_id, runs.attempt, runs.last_sequence, runs.started_at,
      runs.waited_ms, runs as run, input.number, input.step_id, input.position, input.role,
      input.model, input.agent_id, input.agent_version, input.memory, input.marks, input.event_count, input.events
  ), started as (
    insert into steps (account_id, run_id, position, id, role, model, agent_id, agent_version, memory)
    select account_id, id, position, step_id, role, model, agent_id, agent_version, memory from changed
    on conflict (account_id, run_id, position) do nothing
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  select number, attempt,
         (extract(epoch from now() - started_at) * 1000)::float8 - waited_ms as "elapsedMs",
         case when (run).held ->> 'reason' = 'provider_unavailable'
           then coalesce(extract(epoch from now() - (run).held_since) * 1000, 0)::float8
           else 0 end as "heldMs"
  from changed;

-- take: runs of standing agents are taken
  with input as materialized (
    select * from json_to_recordset($1::json) as input
      (number int, account_id text, run_id text, attempt int, last_sequence int, hash text,
       workflow_version int, probation_size int, has_waited boolean, step_id text, position int, role text, model text, agent_id text,
       agent_version int, memory json, marks json, event_count int, events json)
    where (input.number || '') = input.number::text
  ), changed as (
    update runs
    set status = 'running', attempt = greatest(runs.attempt, (select max(number) from epochs) * 1000000) + 1,
        takes_without_progress = least(runs.takes_without_progress + 1, 100),
        probation_size = input.probation_size,
        started_at = coalesce(runs.started_at, now()),
        definition_hash = decode(input.hash, 'hex'),
        workflow_version = coalesce(input.workflow_version, runs.workflow_version),
        waited_ms = runs.waited_ms + case when runs.started_at is null then 0 else coalesce(
          (select extract(epoch from now() - greatest(
                    events.created_at, runs.counted_to,
                    case when input.has_waited is null then
                      (select ready_at from jobs where (jobs.account_id = any(array[input.account_id]) and jobs.run_id = any(array[input.run_id]))) end))
           from events
           where events.account_id = input.account_id
             and events.run_id = input.run_id
             and events.sequence = input.last_sequence) * 1000, 0)::bigint end,
        counted_to = now(),
        last_sequence = runs.last_sequence + input.event_count
    from input
    where runs.account_id = input.account_id and runs.id = input.run_id
      and runs.attempt = input.attempt and runs.last_sequence = input.last_sequence
      and runs.status in ('queued', 'running')
      and exists (select from jobs
                  where (jobs.account_id = any(array[input.account_id]) and jobs.run_id = any(array[input.run_id])) and coalesce(jobs.worker, '') = $2)
    returning runs.id, runs.account_id, runs.attempt, runs.last_sequence, runs.started_at,
      runs.waited_ms, runs as run, input.number, input.step_id, input.position, input.role,
      input.model, input.agent_id, input.agent_version, input.memory, input.marks, input.event_count, input.events
  ), started as (
    insert into steps (account_id, run_id, position, id, role, model, agent_id, agent_version, memory)
    select account_id, id, position, step_id, role, model, agent_id, agent_version, memory from changed
    on conflict (account_id, run_id, position) do nothing
  ), marked as (
  insert into run_marks (account_id, run_id, created_at, mark)
  select source.account_id, source.run_id, source.created_at, mark
  from (select account_id, id, (run).created_at, marks from changed) as source (account_id, run_id, created_at, marks),
       json_array_elements_text(source.marks) as mark
  where source.marks is not null
  on conflict (account_id, run_id, mark) do nothing),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  select number, attempt,
         (extract(epoch from now() - started_at) * 1000)::float8 - waited_ms as "elapsedMs",
         case when (run).held ->> 'reason' = 'provider_unavailable'
           then coalesce(extract(epoch from now() - (run).held_since) * 1000, 0)::float8
           else 0 end as "heldMs"
  from changed;

-- take: probation ends
  update runs set probation_size = null from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as input
  where runs.account_id = input.account_id and runs.id = input.id;

-- boundary: steps end and begin
  with input as materialized (
    select * from json_to_recordset($1::json) as input
      (number int, run_id text, account_id text, attempt int, status text, position int,
       output text, output_json text, step_error text, model text, duration_ms int, request_id text, tools_hash text,
       finish_reason text, tokens_in int, tokens_out int, cost_usd numeric, tokens_cached int, tokens_cache_written int, tokens_reasoning int, calls_without_usage int, calls_without_price int, error text,
       error_code text, begins boolean, next_id text, next_position int, next_role text, next_model text,
       next_agent_id text, next_agent_version int, next_memory json, pending json, timeout_seconds int, marks json,
       warnings jsonb, event_count int, events json)
    where (input.number || '') = input.number::text
  ), changed as (
    update runs
    set status = input.status,
        output = case when input.status = 'completed' then input.output end,
        output_json = case when input.status = 'completed' then input.output_json end::json,
        error = input.error, error_code = input.error_code,
        started_at = coalesce(runs.started_at, case when input.begins then now() end),
        finished_at = case when input.status in ('completed', 'failed') then now() end,
        pending = input.pending,
        waiting_since = case when input.pending is not null then now() end,
        waited_ms = runs.waited_ms + coalesce((extract(epoch from now() - runs.waiting_since) * 1000)::bigint, 0),
        expires_at = now() + make_interval(secs => input.timeout_seconds),
        takes_without_progress = 0, held = null, held_since = null,
        total_steps = runs.total_steps + (input.position is not null)::int,
        tokens_in = runs.tokens_in + coalesce(input.tokens_in, 0), tokens_out = runs.tokens_out + coalesce(input.tokens_out, 0), cost_usd = runs.cost_usd + coalesce(input.cost_usd, 0), tokens_cached = runs.tokens_cached + coalesce(input.tokens_cached, 0), tokens_cache_written = runs.tokens_cache_written + coalesce(input.tokens_cache_written, 0), tokens_reasoning = runs.tokens_reasoning + coalesce(input.tokens_reasoning, 0), calls_without_usage = runs.calls_without_usage + coalesce(input.calls_without_usage, 0), calls_without_price = runs.calls_without_price + coalesce(input.calls_without_price, 0),
        warnings = case when input.warnings is null then runs.warnings
                        else coalesce(runs.warnings, '[]') || input.warnings end,
        last_sequence = runs.last_sequence + input.event_count
    from input
    where runs.account_id = input.account_id and runs.id = input.run_id
      and runs.attempt = input.attempt and runs.status not in ('completed', 'failed')
    returning runs.id, runs.account_id, runs.last_sequence, runs as run, input.number,
      input.position, input.output, input.output_json, input.step_error, input.model, input.duration_ms, input.request_id,
      input.tools_hash, input.finish_reason, input.tokens_in, input.tokens_out, input.cost_usd, input.tokens_cached, input.tokens_cache_written, input.tokens_reasoning, input.calls_without_usage, input.calls_without_price,
      input.next_id, input.next_position, input.next_role, input.next_model,
      input.next_agent_id, input.next_agent_version, input.next_memory, input.marks, input.event_count, input.events
  ), ended as (
    update steps
    set output = changed.output, output_json = changed.output_json::json, error = changed.step_error,
        model = coalesce(changed.model, steps.model), duration_ms = changed.duration_ms, request_id = changed.request_id,
        tools_hash = decode(changed.tools_hash, 'hex'), finish_reason = changed.finish_reason,
        tokens_in = steps.tokens_in + coalesce(changed.tokens_in, 0), tokens_out = steps.tokens_out + coalesce(changed.tokens_out, 0), cost_usd = steps.cost_usd + coalesce(changed.cost_usd, 0), tokens_cached = steps.tokens_cached + coalesce(changed.tokens_cached, 0), tokens_cache_written = steps.tokens_cache_written + coalesce(changed.tokens_cache_written, 0), tokens_reasoning = steps.tokens_reasoning + coalesce(changed.tokens_reasoning, 0), calls_without_usage = steps.calls_without_usage + coalesce(changed.calls_without_usage, 0), calls_without_price = steps.calls_without_price + coalesce(changed.calls_without_price, 0), finished_at = now()
    from changed
    where steps.account_id = changed.account_id and steps.run_id = changed.id
      and steps.position = changed.position and steps.finished_at is null
    returning steps.account_id, steps.agent_id, steps.model, steps.started_at, steps.finished_at,
      steps.tokens_in, steps.tokens_out, steps.cost_usd, steps.calls_without_price, (changed.run).workflow_id,
      (changed.run).thread_id, (changed.run).tags
  ), started as (
    insert into steps (account_id, run_id, position, id, role, model, agent_id, agent_version, memory)
    select account_id, id, next_position, next_id, next_role, next_model, next_agent_id,
           next_agent_version, next_memory
    from changed where next_id is not null
  ), marked as (
  insert into run_marks (account_id, run_id, created_at, mark)
  select source.account_id, source.run_id, source.created_at, mark
  from (
      select account_id, id, (run).created_at, marks from changed union all
select account_id, id, (run).created_at,
       (select json_agg('cost ' || name) from (values ('0.01', 0.01), ('0.1', 0.1), ('1', 1), ('10', 10), ('100', 100)) as step (name, usd)
        where usd <= (run).cost_usd)
from changed
where ((run).finished_at is not null or (run).status = 'waiting_input') and (run).cost_usd >= 0.01) as source (account_id, run_id, created_at, marks),
       json_array_elements_text(source.marks) as mark
  where source.marks is not null
  on conflict (account_id, run_id, mark) do nothing
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  , used as (
  insert into usage_deltas (account_id, day, workflow_id, agent_id, model, thread_id, tags, completed, failed,
                            cancelled, steps, tokens_in, tokens_out, cost_usd, calls_without_price, buckets, run_ids)
  select account_id, day, workflow_id, agent_id, model, thread_id, tags, sum(completed), sum(failed),
         sum(cancelled), sum(steps), sum(tokens_in), sum(tokens_out), sum(cost_usd), sum(calls_without_price),
         array_agg(bucket) filter (where bucket is not null),
         array_agg(run_id) filter (where run_id is not null)
  from (
    select account_id, id as run_id, ((run).finished_at at time zone 'UTC')::date as day, (run).workflow_id,
           null as agent_id, null as model, (run).thread_id, (run).tags,
           ((run).status = 'completed')::int as completed,
           ((run).status = 'failed' and (run).error_code <> 'cancelled')::int as failed,
           ((run).error_code is not distinct from 'cancelled')::int as cancelled,
           0 as steps, 0 as tokens_in, 0 as tokens_out, 0 as cost_usd, 0 as calls_without_price,
           -- A run that no worker took was cancelled while queued: it took no time.
           case when (run).attempt > 0 then floor(ln(greatest(
             (extract(epoch from (run).finished_at - (run).started_at) * 1000)::float8 - (run).waited_ms, 1)) / 0.09531017980432493)::smallint
           end as bucket
    from changed where (run).finished_at is not null
    union all
    select account_id, null, (finished_at at time zone 'UTC')::date, workflow_id, agent_id, model, thread_id, tags, 0, 0, 0,
           1, tokens_in, tokens_out, cost_usd, calls_without_price,
           floor(ln(greatest(extract(epoch from finished_at - started_at)::float8 * 1000, 1)) / 0.09531017980432493)::smallint
    from ended
  ) as counted
  group by account_id, day, workflow_id, agent_id, model, thread_id, tags), rested as (
  delete from jobs using (select account_id, id from changed where (run).status <> 'running') as resting (account_id, run_id)
  where (jobs.account_id = any(array[resting.account_id]) and jobs.run_id = any(array[resting.run_id])))
  select number from changed;

-- boundary: steps end, and a run fails
  with input as materialized (
    select * from json_to_recordset($1::json) as input
      (number int, run_id text, account_id text, attempt int, status text, position int,
       output text, output_json text, step_error text, model text, duration_ms int, request_id text, tools_hash text,
       finish_reason text, tokens_in int, tokens_out int, cost_usd numeric, tokens_cached int, tokens_cache_written int, tokens_reasoning int, calls_without_usage int, calls_without_price int, error text,
       error_code text, begins boolean, next_id text, next_position int, next_role text, next_model text,
       next_agent_id text, next_agent_version int, next_memory json, pending json, timeout_seconds int, marks json,
       warnings jsonb, event_count int, events json)
    where (input.number || '') = input.number::text
  ), changed as (
    update runs
    set status = input.status,
        output = case when input.status = 'completed' then input.output end,
        output_json = case when input.status = 'completed' then input.output_json end::json,
        error = input.error, error_code = input.error_code,
        started_at = coalesce(runs.started_at, case when input.begins then now() end),
        finished_at = case when input.status in ('completed', 'failed') then now() end,
        pending = input.pending,
        waiting_since = case when input.pending is not null then now() end,
        waited_ms = runs.waited_ms + coalesce((extract(epoch from now() - runs.waiting_since) * 1000)::bigint, 0),
        expires_at = now() + make_interval(secs => input.timeout_seconds),
        takes_without_progress = 0, held = null, held_since = null,
        total_steps = runs.total_steps + (input.position is not null)::int,
        tokens_in = runs.tokens_in + coalesce(input.tokens_in, 0), tokens_out = runs.tokens_out + coalesce(input.tokens_out, 0), cost_usd = runs.cost_usd + coalesce(input.cost_usd, 0), tokens_cached = runs.tokens_cached + coalesce(input.tokens_cached, 0), tokens_cache_written = runs.tokens_cache_written + coalesce(input.tokens_cache_written, 0), tokens_reasoning = runs.tokens_reasoning + coalesce(input.tokens_reasoning, 0), calls_without_usage = runs.calls_without_usage + coalesce(input.calls_without_usage, 0), calls_without_price = runs.calls_without_price + coalesce(input.calls_without_price, 0),
        warnings = case when input.warnings is null then runs.warnings
                        else coalesce(runs.warnings, '[]') || input.warnings end,
        last_sequence = runs.last_sequence + input.event_count
    from input
    where runs.account_id = input.account_id and runs.id = input.run_id
      and runs.attempt = input.attempt and runs.status not in ('completed', 'failed')
    returning runs.id, runs.account_id, runs.last_sequence, runs as run, input.number,
      input.position, input.output, input.output_json, input.step_error, input.model, input.duration_ms, input.request_id,
      input.tools_hash, input.finish_reason, input.tokens_in, input.tokens_out, input.cost_usd, input.tokens_cached, input.tokens_cache_written, input.tokens_reasoning, input.calls_without_usage, input.calls_without_price,
      input.next_id, input.next_position, input.next_role, input.next_model,
      input.next_agent_id, input.next_agent_version, input.next_memory, input.marks, input.event_count, input.events
  ), ended as (
    update steps
    set output = changed.output, output_json = changed.output_json::json, error = changed.step_error,
        model = coalesce(changed.model, steps.model), duration_ms = changed.duration_ms, request_id = changed.request_id,
        tools_hash = decode(changed.tools_hash, 'hex'), finish_reason = changed.finish_reason,
        tokens_in = steps.tokens_in + coalesce(changed.tokens_in, 0), tokens_out = steps.tokens_out + coalesce(changed.tokens_out, 0), cost_usd = steps.cost_usd + coalesce(changed.cost_usd, 0), tokens_cached = steps.tokens_cached + coalesce(changed.tokens_cached, 0), tokens_cache_written = steps.tokens_cache_written + coalesce(changed.tokens_cache_written, 0), tokens_reasoning = steps.tokens_reasoning + coalesce(changed.tokens_reasoning, 0), calls_without_usage = steps.calls_without_usage + coalesce(changed.calls_without_usage, 0), calls_without_price = steps.calls_without_price + coalesce(changed.calls_without_price, 0), finished_at = now()
    from changed
    where steps.account_id = changed.account_id and steps.run_id = changed.id
      and steps.position = changed.position and steps.finished_at is null
    returning steps.account_id, steps.agent_id, steps.model, steps.started_at, steps.finished_at,
      steps.tokens_in, steps.tokens_out, steps.cost_usd, steps.calls_without_price, (changed.run).workflow_id,
      (changed.run).thread_id, (changed.run).tags
  ), started as (
    insert into steps (account_id, run_id, position, id, role, model, agent_id, agent_version, memory)
    select account_id, id, next_position, next_id, next_role, next_model, next_agent_id,
           next_agent_version, next_memory
    from changed where next_id is not null
  ), marked as (
  insert into run_marks (account_id, run_id, created_at, mark)
  select source.account_id, source.run_id, source.created_at, mark
  from (
      select account_id, id, (run).created_at, marks from changed union all
select account_id, id, (run).created_at,
       (select json_agg('cost ' || name) from (values ('0.01', 0.01), ('0.1', 0.1), ('1', 1), ('10', 10), ('100', 100)) as step (name, usd)
        where usd <= (run).cost_usd)
from changed
where ((run).finished_at is not null or (run).status = 'waiting_input') and (run).cost_usd >= 0.01) as source (account_id, run_id, created_at, marks),
       json_array_elements_text(source.marks) as mark
  where source.marks is not null
  on conflict (account_id, run_id, mark) do nothing
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  , abandoned as (
update tool_calls
set status = case when tool_calls.status in ('proposed', 'approved') then 'rejected'
                  when sensitive or tool_calls.status = 'unknown' then 'unknown' else 'failed' end,
    output = case when tool_calls.status = 'executing' then 'The run ended while this call was in flight.'
                  when tool_calls.status = 'unknown' then 'It is unknown whether this action was done. It is not repeated; go on, and say so where it matters.' || coalesce(' (' || unknown_reason || ')', '') else 'The run ended before this call was made; it was not done.' end,
    finished_at = now()
from (select account_id, id from changed where (run).error_code is not null) as failed
where (tool_calls.account_id = any(array[failed.account_id]) and tool_calls.run_id = any(array[failed.id])) and tool_calls.output is null), withdrawn as (
update requested_calls
set status = 'cancelled', due_at = null, lease_expires_at = null, finished_at = now()
from (select account_id, id from changed where (run).error_code is not null) as failed
where (requested_calls.account_id = any(array[failed.account_id]) and requested_calls.run_id = any(array[failed.id])) and requested_calls.due_at is not null)
  , used as (
  insert into usage_deltas (account_id, day, workflow_id, agent_id, model, thread_id, tags, completed, failed,
                            cancelled, steps, tokens_in, tokens_out, cost_usd, calls_without_price, buckets, run_ids)
  select account_id, day, workflow_id, agent_id, model, thread_id, tags, sum(completed), sum(failed),
         sum(cancelled), sum(steps), sum(tokens_in), sum(tokens_out), sum(cost_usd), sum(calls_without_price),
         array_agg(bucket) filter (where bucket is not null),
         array_agg(run_id) filter (where run_id is not null)
  from (
    select account_id, id as run_id, ((run).finished_at at time zone 'UTC')::date as day, (run).workflow_id,
           null as agent_id, null as model, (run).thread_id, (run).tags,
           ((run).status = 'completed')::int as completed,
           ((run).status = 'failed' and (run).error_code <> 'cancelled')::int as failed,
           ((run).error_code is not distinct from 'cancelled')::int as cancelled,
           0 as steps, 0 as tokens_in, 0 as tokens_out, 0 as cost_usd, 0 as calls_without_price,
           -- A run that no worker took was cancelled while queued: it took no time.
           case when (run).attempt > 0 then floor(ln(greatest(
             (extract(epoch from (run).finished_at - (run).started_at) * 1000)::float8 - (run).waited_ms, 1)) / 0.09531017980432493)::smallint
           end as bucket
    from changed where (run).finished_at is not null
    union all
    select account_id, null, (finished_at at time zone 'UTC')::date, workflow_id, agent_id, model, thread_id, tags, 0, 0, 0,
           1, tokens_in, tokens_out, cost_usd, calls_without_price,
           floor(ln(greatest(extract(epoch from finished_at - started_at)::float8 * 1000, 1)) / 0.09531017980432493)::smallint
    from ended
  ) as counted
  group by account_id, day, workflow_id, agent_id, model, thread_id, tags), rested as (
  delete from jobs using (select account_id, id from changed where (run).status <> 'running') as resting (account_id, run_id)
  where (jobs.account_id = any(array[resting.account_id]) and jobs.run_id = any(array[resting.run_id])))
  select number from changed;

-- boundary: a run is held for a provider or a worker
  with changed as (
    update runs as run
    set takes_without_progress = 0, counted_to = now(), "tokens_in" = "tokens_in" + $1, "tokens_out" = "tokens_out" + $2, "cost_usd" = "cost_usd" + $3, "tokens_cached" = "tokens_cached" + $4, "tokens_cache_written" = "tokens_cache_written" + $5, "tokens_reasoning" = "tokens_reasoning" + $6, "calls_without_usage" = "calls_without_usage" + $7, "calls_without_price" = "calls_without_price" + $8, held = $9::jsonb,
           held_since = case when held ->> 'reason' = $10::text and held_since is not null
                             then held_since else (select now()) end,
           waited_ms = waited_ms + $11
    where account_id = $12 and id = $13
      and attempt = $14 and status = 'running'
    returning account_id, id, last_sequence, run,
  $15::int as event_count, $16::json as events
  ), counted as (
    update steps
    set tries = $17, "tokens_in" = "tokens_in" + $18, "tokens_out" = "tokens_out" + $19, "cost_usd" = "cost_usd" + $20, "tokens_cached" = "tokens_cached" + $21, "tokens_cache_written" = "tokens_cache_written" + $22, "tokens_reasoning" = "tokens_reasoning" + $23, "calls_without_usage" = "calls_without_usage" + $24, "calls_without_price" = "calls_without_price" + $25
    from changed
    where steps.account_id = changed.account_id
      and steps.run_id = changed.id and steps.position = $26
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  , ready as (
  insert into jobs (account_id, run_id, begun, ready_at)
  select account_id, run_id, begun, date_trunc('milliseconds', now() + make_interval(secs => delay_seconds))
  from (select account_id, id, true, $27::float8 from changed) as ready (account_id, run_id, begun, delay_seconds)
  on conflict (account_id, run_id) do update
    set begun = excluded.begun, ready_at = excluded.ready_at, worker = null, lease_until = null
  returning case when ready_at <= now() then pg_notify('muster_jobs', current_setting('muster.pool', true))::text end as notice)
  select 1 as one from ready;

-- boundary: a run is released
  with changed as (
    update runs as run
    set takes_without_progress = 0, counted_to = now(), "tokens_in" = "tokens_in" + $1, "tokens_out" = "tokens_out" + $2, "cost_usd" = "cost_usd" + $3, "tokens_cached" = "tokens_cached" + $4, "tokens_cache_written" = "tokens_cache_written" + $5, "tokens_reasoning" = "tokens_reasoning" + $6, "calls_without_usage" = "calls_without_usage" + $7, "calls_without_price" = "calls_without_price" + $8, held = held
    where account_id = $9 and id = $10
      and attempt = $11 and status = 'running'
    returning account_id, id, last_sequence, run,
  $12::int as event_count, $13::json as events
  ), counted as (
    update steps
    set tries = $14, "tokens_in" = "tokens_in" + $15, "tokens_out" = "tokens_out" + $16, "cost_usd" = "cost_usd" + $17, "tokens_cached" = "tokens_cached" + $18, "tokens_cache_written" = "tokens_cache_written" + $19, "tokens_reasoning" = "tokens_reasoning" + $20, "calls_without_usage" = "calls_without_usage" + $21, "calls_without_price" = "calls_without_price" + $22
    from changed
    where steps.account_id = changed.account_id
      and steps.run_id = changed.id and steps.position = $23
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  , ready as (
  insert into jobs (account_id, run_id, begun, ready_at)
  select account_id, run_id, begun, date_trunc('milliseconds', now() + make_interval(secs => delay_seconds))
  from (select account_id, id, true, $24::float8 from changed) as ready (account_id, run_id, begun, delay_seconds)
  on conflict (account_id, run_id) do update
    set begun = excluded.begun, ready_at = excluded.ready_at, worker = null, lease_until = null
  returning case when ready_at <= now() then pg_notify('muster_jobs', current_setting('muster.pool', true))::text end as notice)
  select 1 as one from ready;

-- boundary: a suspension gives back its time
update runs set expires_at = (select expires_at + (now() - accounts.suspended_at))
from accounts
where accounts.id = $1 and runs.account_id = accounts.id
  and runs.status = 'waiting_input' and runs.expires_at is not null;

update requested_calls
set expires_at = (select expires_at + (now() - accounts.suspended_at)),
    lease_expires_at = (select lease_expires_at + (now() - accounts.suspended_at)),
    due_at = (select due_at + (now() - accounts.suspended_at))
from accounts
where accounts.id = $1 and requested_calls.account_id = accounts.id
  and due_at is not null;

update steps set tries = 0 from jobs
where jobs.account_id = $1 and jobs.begun and jobs.worker is null
  and steps.account_id = jobs.account_id and steps.run_id = jobs.run_id
  and steps.finished_at is null and steps.tries > 0;

-- ledger: a turn and its calls
  with changed as (
    update runs as run
    set takes_without_progress = 0, held = null, held_since = null, "tokens_in" = "tokens_in" + $1, "tokens_out" = "tokens_out" + $2, "cost_usd" = "cost_usd" + $3, "tokens_cached" = "tokens_cached" + $4, "tokens_cache_written" = "tokens_cache_written" + $5, "tokens_reasoning" = "tokens_reasoning" + $6, "calls_without_usage" = "calls_without_usage" + $7, "calls_without_price" = "calls_without_price" + $8,
        tool_bytes = tool_bytes + $9, last_sequence = last_sequence + $10
    where account_id = $11 and id = $12
      and attempt = $13 and status = 'running'
    returning account_id, id, last_sequence, run,
  $14::int as event_count, $15::json as events
  ), counted as (
    update steps
    set tries = 0, "tokens_in" = "tokens_in" + $16, "tokens_out" = "tokens_out" + $17, "cost_usd" = "cost_usd" + $18, "tokens_cached" = "tokens_cached" + $19, "tokens_cache_written" = "tokens_cache_written" + $20, "tokens_reasoning" = "tokens_reasoning" + $21, "calls_without_usage" = "calls_without_usage" + $22, "calls_without_price" = "calls_without_price" + $23,
        turns = turns + $24
    from changed
    where steps.account_id = changed.account_id and steps.run_id = changed.id
      and steps.position = $25 and steps.finished_at is null
  ), turned as (
    insert into step_turns (account_id, run_id, step_position, turn, message, problem,
                            tokens_in, tokens_out, cost_usd, tokens_cached, tokens_cache_written, tokens_reasoning, calls_without_usage, calls_without_price, model, duration_ms, request_id, tools_hash)
    select account_id, id, $26, $27,
           $28::json, $29, $30, $31, $32, $33, $34, $35, $36, $37,
           $38,
           $39, $40,
           decode($41, 'hex')
    from changed where $42
  ), proposed as (
    insert into tool_calls (account_id, run_id, step_position, turn, position, id,
      provider_call_id, tool, sensitive, tool_version, input, status, output, decision, decided_at,
      started_at, times_made, finished_at, epoch, rule)
    select changed.account_id, changed.id, $43, $44, call.position,
           call.id, call.provider_call_id, call.tool, call.sensitive, call.tool_version, call.input,
           call.status, call.output, call.decision, case when call.decision is not null then now() end,
           case when call.status = 'executing' then now() end, (call.status = 'executing')::int,
           case when call.output is not null then now() end, (select max(number) from epochs), call.rule
    from changed, json_to_recordset($45::json) as call
      (position int, id text, provider_call_id text, tool text, sensitive boolean, tool_version text,
       input json, status text, output text, decision text, rule json)
  ), begun as (
    update tool_calls set status = 'executing', started_at = now(), times_made = greatest(times_made, (started_at is not null)::int) + 1
    from changed
    where tool_calls.account_id = changed.account_id
      and tool_calls.run_id = changed.id
      and step_position = $46 and tool_calls.id = any($47)
      and tool_calls.status = 'approved'
    returning tool_calls.id
  ), held_back as (
    update tool_calls
    set status = held.status, output = held.output, tool_version = held."toolVersion",
        tool_changed = held."toolChanged", decision = held.decision,
        decided_at = case when held.decision is not null then coalesce(decided_at, (select now())) end,
        decided_by = case when held.decision is not null then decided_by end,
        decider_name = case when held.decision is not null then decider_name end,
        reason = case when held.decision is not null then reason end,
        approvals = case when held.decision is not null then approvals end,
        finished_at = case when held.output is not null then (select now()) end
    from changed, json_to_recordset($48::json) as held
      (id text, status text, output text, decision text, "toolVersion" text,
       "toolChanged" boolean)
    where tool_calls.account_id = changed.account_id
      and tool_calls.run_id = changed.id
      and step_position = $49 and tool_calls.id = held.id and tool_calls.output is null
  ), settled as (
    update tool_calls
    set status = outcome.status, output = outcome.output,
        unknown_reason = outcome."unknownReason", finished_at = now()
    from changed, json_to_recordset($50::json) as outcome
      (id text, status text, output text, "unknownReason" text)
    where tool_calls.account_id = changed.account_id
      and tool_calls.run_id = changed.id
      and step_position = $51 and tool_calls.id = outcome.id
      and tool_calls.status in ('executing', 'unknown')
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  select (select count(*)::int from begun) as begun from changed;

-- ledger: the outcome of a call after the end of its run
update tool_calls
set status = $1, output = $2, unknown_reason = null, finished_at = now()
from runs
where runs.account_id = $3 and runs.id = $4
  and runs.attempt = $5 and runs.finished_at is not null
  and tool_calls.account_id = runs.account_id and tool_calls.run_id = runs.id
  and tool_calls.id = $6
  and tool_calls.status in ('executing', 'unknown');

-- ledger: the turns of a step
select turn as number, message, problem,
       (select json_agg(json_build_object(
                 'id', id, 'turn', tool_calls.turn, 'position', tool_calls.position,
                 'providerCallId', provider_call_id, 'tool', tool, 'sensitive', sensitive,
                 'toolVersion', tool_version, 'toolChanged', tool_changed,
                 'timesMade', greatest(times_made, (started_at is not null)::int), 'input', input, 'status', tool_calls.status, 'output', tool_calls.output,
                 'unknownReason', unknown_reason,
                 'decision', decision) order by tool_calls.position)
        from tool_calls
        where tool_calls.account_id = $1 and tool_calls.run_id = $2
          and tool_calls.step_position = step_turns.step_position
          and tool_calls.turn = step_turns.turn) as calls
from step_turns where account_id = $3 and run_id = $4
  and step_position = $5
order by turn;

-- respond: a run is locked
  select status, attempt, thread_id is not null as "isTurn", pending, (expires_at <= now()) is true as "isOverdue",
         array_remove(
earlier_triggerers || triggered_by
|| array(select person ->> 'id' from jsonb_array_elements(on_behalf_of) as person), null) as triggerers, now() as at from runs
  where account_id = $1 and id = $2 for update;

-- respond: a run goes on
  with changed as (
    update runs as run
    set status = 'running', pending = null, open_case = null, waiting_since = null, expires_at = null,
        waited_ms = waited_ms + (extract(epoch from now() - waiting_since) * 1000)::bigint,
        last_sequence = last_sequence + $1
    where account_id = $2 and id = $3 and status = 'waiting_input'
    returning account_id, id, last_sequence, run,
  $4::int as event_count, $5::json as events
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  , ready as (
  insert into jobs (account_id, run_id, begun, ready_at)
  select account_id, run_id, begun, date_trunc('milliseconds', now() + make_interval(secs => delay_seconds))
  from (select account_id, id, true, 0 from changed) as ready (account_id, run_id, begun, delay_seconds)
  on conflict (account_id, run_id) do update
    set begun = excluded.begun, ready_at = excluded.ready_at, worker = null, lease_until = null
  returning case when ready_at <= now() then pg_notify('muster_jobs', current_setting('muster.pool', true))::text end as notice)
  select 1 as one from ready;

-- respond: a run waits on
  with changed as (
    update runs as run
    set pending = $1::json,
        last_sequence = last_sequence + $2
    where account_id = $3 and id = $4 and status = 'waiting_input'
    returning account_id, id, last_sequence, run,
  $5::int as event_count, $6::json as events
  ),
  logged as (
insert into events (account_id, run_id, sequence, id, type, data)
select changed.account_id, changed.id,
       changed.last_sequence - changed.event_count + event.number,
       event.id, event.type, event.data
from changed, rows from (json_to_recordset(changed.events) as (id text, type text, data jsonb))
  with ordinality as event (id, type, data, number)
returning case when exists (select from account_watches
                  where account_watches.account_id = "events"."account_id" and until > now()) then pg_notify('muster_changes',
  events.account_id || ' ' || events.run_id ||
    case when events.type like 'run.%'
           and events.type not in ('run.queued', 'run.started', 'run.completed')
         then ' p' else '' end)::text end as notice),
  delivered as (
insert into webhook_deliveries
  (account_id, id, endpoint_id, event_id, event_type, run_id, snapshot)
select changed.account_id, new_id('dlv'), endpoint.id, event.value ->> 'id',
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end, changed.id,
       case when event.value ->> 'type' = 'tool.requested'
         then (event.value -> 'data')::jsonb - '{order,role,tool}'::text[]
       else jsonb_build_object(
         'id', (changed.run).id,
         'workflow_id', (changed.run).workflow_id,
         'workflow_version', (changed.run).workflow_version,
         'status', (changed.run).status,
         'error', (changed.run).error,
         'error_code', (changed.run).error_code,
         'total_steps', (changed.run).total_steps,
         'tokens_in', (changed.run).tokens_in,
         'tokens_out', (changed.run).tokens_out,
         'cost_usd', (changed.run).cost_usd,
         'tokens_cached', (changed.run).tokens_cached,
         'tokens_cache_written', (changed.run).tokens_cache_written,
         'tokens_reasoning', (changed.run).tokens_reasoning,
         'calls_without_usage', (changed.run).calls_without_usage,
         'calls_without_price', (changed.run).calls_without_price,
         'retry_of', (changed.run).retry_of,
         'tags', coalesce((changed.run).tags, '{}'),
         'warnings', coalesce((changed.run).warnings, '[]'),
         'thread_id', (changed.run).thread_id,
         'turn', (changed.run).turn,
         'created_at', to_char((changed.run).created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'started_at', to_char((changed.run).started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'finished_at', to_char((changed.run).finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'workflow', jsonb_build_object('id', (changed.run).workflow_id, 'name', (
           select name from workflows where workflows.account_id = changed.account_id
             and workflows.id = (changed.run).workflow_id)),
         'files', jsonb_build_object('inputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'input'), '[]'), 'outputs',
coalesce((select jsonb_agg(file_id order by position) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id
            and direction = 'output'), '[]')),
         'file_names',
coalesce((select jsonb_object_agg(file_id, name) from run_files
          where run_files.account_id = changed.account_id and run_files.run_id = changed.id), '{}'),
         'forked_from', case when (changed.run).forked_from is not null then jsonb_build_object(
           'run_id', (changed.run).forked_from, 'step', (changed.run).forked_step) end,
         'triggered_by', case when (changed.run).triggered_by is not null then jsonb_build_object(
           'type', case left((changed.run).triggered_by, 4) when 'usr_' then 'user' when 'key_' then 'key' else 'system' end,
           'id', (changed.run).triggered_by, 'name', (changed.run).triggerer_name) end,
         'pending', (changed.run).pending::jsonb || jsonb_build_object(
           'created_at', to_char((changed.run).waiting_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'expires_at', to_char((changed.run).expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         'sequence',
         changed.last_sequence - changed.event_count + event.number) end
from changed
cross join lateral json_array_elements(changed.events) with ordinality as event (value, number)
join webhook_endpoints as endpoint on endpoint.account_id = changed.account_id and endpoint.active
  and
case when event.value ->> 'type' = 'run.failed' and (changed.run).error_code = 'cancelled'
       and 'run.cancelled' = any (endpoint.events) then 'run.cancelled'
     else event.value ->> 'type' end = any (endpoint.events)
  and coalesce(endpoint.workflow_id, (changed.run).workflow_id) = (changed.run).workflow_id
-- An endpoint that is deleted meanwhile is skipped; without the lock the foreign key would fail the
-- statement, and with it the changes of other runs.
for key share of endpoint
returning pg_notify('muster_deliveries', '')::text as notice)
  select 1 as one from changed;

-- respond: a call is decided
update tool_calls
set decision = $1, decided_at = now(),
    decided_by = $2,
    decider_name = $3, reason = $4,
    status = $5, output = $6, epoch = (select max(number) from epochs),
    finished_at = case when $7::text is not null then (select now()) end,
    approvals = $8::json
where account_id = $9 and run_id = $10
  and id = $11 and output is null
  and status in ('proposed', 'unknown');

-- respond: a call is edited
update tool_calls
set proposed_input = coalesce(proposed_input, input), input = $1::json
where account_id = $2 and run_id = $3 and id = $4
  and status = 'proposed';

-- expire: waits whose time is over
with expired as materialized (
  select * from runs where expires_at <= now() and "runs"."account_id" not in (
select account_id from account_holds where reason <> 'cost')
  order by expires_at limit $1 for update skip locked
)
select expired.id as "runId", expired.account_id as "accountId", expired.attempt,
       expired.thread_id is not null as "isTurn", expired.pending, steps.model, json_build_object('tokensIn', steps.tokens_in, 'tokensOut', steps.tokens_out, 'costUsd', steps.cost_usd, 'tokensCached', steps.tokens_cached, 'tokensCacheWritten', steps.tokens_cache_written, 'tokensReasoning', steps.tokens_reasoning, 'callsWithoutUsage', steps.calls_without_usage, 'callsWithoutPrice', steps.calls_without_price) as recorded,
       (definitions.body -> 'humanInTheLoop' ->> 'timeout_seconds')::float8 as "timeoutSeconds",
       definitions.body -> 'humanInTheLoop' ->> 'on_timeout' as "onTimeout"
from expired
join definitions on definitions.account_id = expired.account_id
  and definitions.hash = expired.definition_hash
join steps on steps.account_id = expired.account_id and steps.run_id = expired.id
  and steps.position = (expired.pending ->> 'step_order')::int;

-- usage: what a lost worker used
  with changed as (
    update runs as run set "tokens_in" = "tokens_in" + $1, "tokens_out" = "tokens_out" + $2, "cost_usd" = "cost_usd" + $3, "tokens_cached" = "tokens_cached" + $4, "tokens_cache_written" = "tokens_cache_written" + $5, "tokens_reasoning" = "tokens_reasoning" + $6, "calls_without_usage" = "calls_without_usage" + $7, "calls_without_price" = "calls_without_price" + $8
    where account_id = $9 and id = $10 and exists (select from steps where
  steps.account_id = $11 and steps.run_id = $12 and steps.position = $13)
    returning account_id, id, run
  ), counted as (
    update steps set "tokens_in" = "tokens_in" + $14, "tokens_out" = "tokens_out" + $15, "cost_usd" = "cost_usd" + $16, "tokens_cached" = "tokens_cached" + $17, "tokens_cache_written" = "tokens_cache_written" + $18, "tokens_reasoning" = "tokens_reasoning" + $19, "calls_without_usage" = "calls_without_usage" + $20, "calls_without_price" = "calls_without_price" + $21 from changed where
  steps.account_id = $22 and steps.run_id = $23 and steps.position = $24
    returning steps.agent_id, steps.model, steps.finished_at, (changed.run).workflow_id,
      (changed.run).thread_id, (changed.run).tags
  ), marked as (
  insert into run_marks (account_id, run_id, created_at, mark)
  select source.account_id, source.run_id, source.created_at, mark
  from (
select account_id, id, (run).created_at,
       (select json_agg('cost ' || name) from (values ('0.01', 0.01), ('0.1', 0.1), ('1', 1), ('10', 10), ('100', 100)) as step (name, usd)
        where usd <= (run).cost_usd)
from changed
where ((run).finished_at is not null or (run).status = 'waiting_input') and (run).cost_usd >= 0.01) as source (account_id, run_id, created_at, marks),
       json_array_elements_text(source.marks) as mark
  where source.marks is not null
  on conflict (account_id, run_id, mark) do nothing), used as (
    insert into usage_deltas (account_id, day, workflow_id, agent_id, model, thread_id, tags,
                              completed, failed, cancelled, steps, tokens_in, tokens_out, cost_usd, calls_without_price)
    select $25, (finished_at at time zone 'UTC')::date, workflow_id, agent_id, model, thread_id, tags,
           0, 0, 0, 0, $26::int, $27::int, $28::numeric, $29::int
    from counted where finished_at is not null
  )
  select 1 as one from counted;

-- definitions: workflows to freeze
select workflows.id, workflows.account_id as "accountId", model, crew, human_in_the_loop,
       limits, memory_enabled, fallbacks, model_inherited as "modelInherited",
       version, workflows.id || ' ' || workflows.updated_at || ' ' || workflows.xmin as state
from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as input
join workflows on workflows.account_id = input.account_id and workflows.id = input.id;

-- definitions: versions
select versions.object_id as id, versions.account_id as "accountId", versions.version,
       definition ->> 'model' as model, definition -> 'crew' as crew,
       definition -> 'human_in_the_loop' as human_in_the_loop, definition -> 'limits' as limits,
       (definition ->> 'memory_enabled')::boolean as memory_enabled,
       definition -> 'fallbacks' as fallbacks, definition ->> 'model' is null as "modelInherited"
from (select distinct account_id, id, version from json_to_recordset($1::json)
        as input (account_id text, id text, version int)) as input
join versions on versions.account_id = input.account_id and versions.object_id = input.id
  and versions.version = input.version;

-- definitions: read
select definitions.account_id as "accountId", input.id as hash, definitions.body
from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as input
join definitions on definitions.account_id = input.account_id
  and definitions.hash = decode(input.id, 'hex');

-- definitions: stored
insert into definitions (account_id, hash, body)
select account_id, decode(hash, 'hex'), body
from json_to_recordset($1::json) as input (account_id text, hash text, body jsonb)
order by account_id, hash
on conflict do nothing;

-- files: given to a run
insert into run_files (account_id, run_id, direction, position, file_id, name, media_type, bytes)
select $1, $2, 'input', place - 1, files.id, files.name, files.media_type, files.bytes
from unnest($3::text[]) with ordinality as given (id, place)
join files on files.account_id = $4 and files.id = given.id;

-- files: written by a step
insert into run_files (account_id, run_id, direction, position, file_id, step_position, name,
                       media_type, bytes)
select $1, $2, 'output', coalesce(max(position) + 1, 0), $3,
       $4::int, $5, $6, $7::int
from run_files
where account_id = $8 and run_id = $9 and direction = 'output';

-- prune: events of old runs
with walked as materialized (
  select run_id, ctid as place from "events"
  where account_id = $1 and "run_id" > $2
  order by run_id limit 1000
), old as materialized (
  select run_id, place from walked
  join runs on runs.account_id = $3 and runs.id = walked.run_id
  where runs.finished_at < now() - make_interval(days => $4::int)
), deleted as (
  delete from "events"
  where account_id = $5 and ctid = any(array(select place from old))
)
select last.id, (select count(*)::int from walked) as count,
       runs.created_at >= now() - make_interval(days => $6::int) as "isYoung",
       exists (select from old where run_id = last.id) as "isOld"
from (select max(run_id) as id from walked) as last
join runs on runs.account_id = $7 and runs.id = last.id;

-- prune: jobs of an account that is deleted
delete from jobs where account_id = $1;
