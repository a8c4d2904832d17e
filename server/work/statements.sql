-- Written by `npm run statements`. Each statement of the work queue, as PostgreSQL gets it.

-- hook_deliveries: claimed
      select pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied')) as "isHeld";

with recursive lane (account_id, name, number) as (
  -- Each lane with open rows, by one index probe.
  (select item.account_id, ''::text, 1 from "hook_deliveries" as item
   where item.status = 'pending' and item.account_id > $1::text
   order by account_id limit 1)
  union all
  select next.account_id, next.name, lane.number + 1
  from lane cross join lateral (
    select item.account_id, ''::text as name from "hook_deliveries" as item
    where item.status = 'pending' and item.account_id > lane.account_id
    order by account_id limit 1) as next
  where lane.number < 500
), busy as materialized (
  select * from json_to_recordset($2::json) as busy ("accountId" text, lane text, count int)
), candidate as materialized (
  select one.place,
         row_number() over (partition by lane.account_id order by one.due_at)
           + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
  from lane cross join lateral (
    select item.ctid as place, "item"."next_try_at" as due_at from "hook_deliveries" as item
    where "item"."account_id" = lane.account_id and item.status = 'pending' and "item"."next_try_at" <= now()
    order by "item"."next_try_at", "item"."received_at"
    limit $3) as one
  where "lane"."account_id" not in (
select account_id from account_holds where reason <> 'cost')
), claimed as (
  update "hook_deliveries" as item
  set "next_try_at" = now() + 15 * interval '1 second'
  -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
  where item.ctid = any(array(
    select place from candidate where turn <= $4::int
    order by turn limit $5::int)) and item.status = 'pending' and "item"."next_try_at" <= now()
  returning item.*
)
select case when (select count(*) from lane) < 500 then ''
         else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
       one.*
from (select) as always left join (
  select claimed.account_id as "accountId", claimed.id, ''::text as lane,
claimed.run_id as "runId", claimed.event_id as "eventId", claimed.event_type as "eventType", claimed.headers,
claimed.content_type as "contentType", claimed.body, claimed.received_at as "receivedAt", claimed.tries,
extract(epoch from now() - claimed.received_at)::float8 as "ageSeconds", claimed.asked_by as "askedBy",
claimed.hook_id as "hookId", hooks.name as "hookName", hooks.workflow_id as "workflowId", hooks.authors,
hooks.version, hooks.filter, hooks.input, hooks.data, hooks.files, hooks.tags
  from claimed join hooks on hooks.account_id = claimed.account_id and hooks.id = claimed.hook_id) as one on true;

-- hook_deliveries: renewed
  update "hook_deliveries"
  set "next_try_at" = now() + 15 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "hook_deliveries" as item on item.account_id = named.account_id and item.id = named.id
    where item.status = 'pending' and "item"."next_try_at" > now()
    for update of item skip locked));

-- hook_deliveries: settled
update "hook_deliveries" as item set "status" = "input"."status", "why" = "input"."why", "tries" = "input"."tries", "next_try_at" = now() + input.wait_seconds * interval '1 second', "settled_at" = case when input.wait_seconds is null then now() end
from (
  select * from json_to_recordset($1::json) as input
    (number int, account_id text, id text, wait_seconds float8, is_certain boolean, status text, why text, tries int, run_id text)
  where (input.number || '') = input.number::text) as input
where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and "item"."run_id" = "input"."run_id" and (item.status = 'pending' or input.is_certain);

-- schedule_firings: claimed
      select pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied')) as "isHeld";

with recursive lane (account_id, name, number) as (
  -- Each lane with open rows, by one index probe.
  (select item.account_id, "item"."schedule_id", 1 from "schedule_firings" as item
   where item.status = 'due' and (item.account_id, "item"."schedule_id") > ($1::text, $2::text)
   order by account_id, "schedule_id" limit 1)
  union all
  select next.account_id, next.name, lane.number + 1
  from lane cross join lateral (
    select item.account_id, "item"."schedule_id" as name from "schedule_firings" as item
    where item.status = 'due' and (item.account_id, "item"."schedule_id") > (lane.account_id, lane.name)
    order by account_id, "schedule_id" limit 1) as next
  where lane.number < 500
), busy as materialized (
  select * from json_to_recordset($3::json) as busy ("accountId" text, lane text, count int)
), candidate as materialized (
  select one.place,
         row_number() over (partition by lane.account_id order by one.due_at)
           + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
  from lane cross join lateral (
    select item.ctid as place, "item"."next_try_at" as due_at from "schedule_firings" as item
    where "item"."account_id" = lane.account_id and "item"."schedule_id" = lane.name and item.status = 'due' and "item"."next_try_at" <= now() and not exists (
      select from "schedule_firings" as item where "item"."account_id" = lane.account_id and "item"."schedule_id" = lane.name and item.status = 'due' and not "item"."next_try_at" <= now())
    order by "item"."due_at", "item"."id"
    limit greatest(0, 1 - coalesce((
      select busy.count from busy where busy."accountId" = lane.account_id and busy.lane = lane.name), 0))) as one
  where "lane"."account_id" not in (
select account_id from account_holds where reason <> 'cost')
), claimed as (
  update "schedule_firings" as item
  set "next_try_at" = now() + 30 * interval '1 second'
  -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
  where item.ctid = any(array(
    select place from candidate where turn <= $4::int
    order by turn limit $5::int)) and item.status = 'due' and "item"."next_try_at" <= now()
  returning item.*
)
select case when (select count(*) from lane) < 500 then ''
         else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
       one.*
from (select) as always left join (
  select claimed.account_id as "accountId", claimed.id, "claimed"."schedule_id" as lane,
claimed.kind, claimed.due_at as "dueAt", claimed.run_id as "runId", claimed.waits,
claimed.created_at as "createdAt", claimed.why, claimed.tries, claimed.asked_by as "askedBy",
extract(epoch from now() - claimed.due_at)::float8 as "ageSeconds", now()::timestamptz(3) as now,
(select max(began_at) from epochs where in_doubt) as "doubtAt",
(select row_to_json(shown) from (select "schedules"."id" as "id", "schedules"."key" as "key", "schedules"."name" as "name", "schedules"."workflow_id" as "workflow_id", "schedules"."version" as "version", "schedules"."cron" as "cron", "schedules"."time_zone" as "time_zone", "schedules"."every_seconds" as "every_seconds", "schedules"."at" as "at", "schedules"."input" as "input", "schedules"."data" as "data", "schedules"."tags" as "tags", "schedules"."overlap" as "overlap", "schedules"."catch_up" as "catch_up", "schedules"."catch_up_seconds" as "catch_up_seconds", "schedules"."jitter_seconds" as "jitter_seconds", "schedules"."ends_at" as "ends_at", "schedules"."pause_after_failures" as "pause_after_failures", "schedules"."status" as "status", "schedules"."paused_reason" as "paused_reason", "schedules"."next_due_at" as "next_due_at", "schedules"."created_at" as "created_at", "schedules"."updated_at" as "updated_at", "schedules"."counts_from" as "counts_from", "schedules"."authors" as "authors") as shown) as schedule,
coalesce((
select json_agg(json_build_object('id', runs.id, 'status', runs.status, 'error_code', runs.error_code,
                                  'counts', earlier.settled_at >= schedules.resumed_at)
                order by earlier.due_at desc, earlier.id desc)
from (
  select * from schedule_firings as firing
  where firing.account_id = claimed.account_id and firing.schedule_id = claimed.schedule_id
    and firing.status = 'fired'
  order by firing.due_at desc, firing.id desc limit 20) as earlier
left join runs on runs.account_id = "earlier"."account_id" and runs.id = "earlier"."run_id" where runs.id is not null), '[]') as recent
  from claimed
join schedules on schedules.account_id = claimed.account_id and schedules.id = claimed.schedule_id) as one on true;

-- schedule_firings: renewed
  update "schedule_firings"
  set "next_try_at" = now() + 30 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "schedule_firings" as item on item.account_id = named.account_id and item.id = named.id
    where item.status = 'due' and "item"."next_try_at" > now()
    for update of item skip locked));

-- schedule_firings: settled
update "schedule_firings" as item set "status" = "input"."status", "why" = "input"."why", "tries" = "input"."tries", "waits" = "input"."waits", "next_try_at" = now() + input.wait_seconds * interval '1 second', "settled_at" = case when input.wait_seconds is null then now() end
from (
  select * from json_to_recordset($1::json) as input
    (number int, account_id text, id text, wait_seconds float8, is_certain boolean, status text, why text, tries int, waits boolean)
  where (input.number || '') = input.number::text) as input
where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (item.status = 'due' or input.is_certain);

-- batches: claimed
      select pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied')) as "isHeld";

with recursive lane (account_id, name, number) as (
  -- Each lane with open rows, by one index probe.
  (select item.account_id, ''::text, 1 from "batches" as item
   where item.due_at is not null and item.account_id > $1::text
   order by account_id limit 1)
  union all
  select next.account_id, next.name, lane.number + 1
  from lane cross join lateral (
    select item.account_id, ''::text as name from "batches" as item
    where item.due_at is not null and item.account_id > lane.account_id
    order by account_id limit 1) as next
  where lane.number < 500
), busy as materialized (
  select * from json_to_recordset($2::json) as busy ("accountId" text, lane text, count int)
), candidate as materialized (
  select one.place,
         row_number() over (partition by lane.account_id order by one.due_at)
           + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
  from lane cross join lateral (
    select item.ctid as place, "item"."due_at" as due_at from "batches" as item
    where "item"."account_id" = lane.account_id and item.due_at is not null and "item"."due_at" <= now()
    order by "item"."due_at"
    limit $3) as one
  where "lane"."account_id" not in (
select account_id from account_holds where reason <> 'cost')
), claimed as (
  update "batches" as item
  set "due_at" = now() + 30 * interval '1 second'
  -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
  where item.ctid = any(array(
    select place from candidate where turn <= $4::int
    order by turn limit $5::int)) and item.due_at is not null and "item"."due_at" <= now()
  returning item.*
)
select case when (select count(*) from lane) < 500 then ''
         else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
       one.*
from (select) as always left join (
  select claimed.account_id as "accountId", claimed.id, ''::text as lane,
claimed.workflow_id as "workflowId", claimed.name, claimed.concurrency, claimed.status,
claimed.created_by as "createdBy", claimed.creator_name as "creatorName", claimed.retried_by as "retriedBy"
  from claimed ) as one on true;

-- batches: renewed
  update "batches"
  set "due_at" = now() + 30 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "batches" as item on item.account_id = named.account_id and item.id = named.id
    where item.due_at is not null and "item"."due_at" > now()
    for update of item skip locked));

-- batches: settled
update "batches" as item set "held" = "input"."held", "due_at" = now() + input.wait_seconds * interval '1 second'
from (
  select * from json_to_recordset($1::json) as input
    (number int, account_id text, id text, wait_seconds float8, is_certain boolean, held text)
  where (input.number || '') = input.number::text) as input
where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (item.due_at is not null or input.is_certain);

-- thread_messages: claimed
      select pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied')) as "isHeld";

with recursive lane (account_id, name, number) as (
  -- Each lane with open rows, by one index probe.
  (select item.account_id, ''::text, 1 from "thread_messages" as item
   where item.due_at is not null and item.account_id > $1::text
   order by account_id limit 1)
  union all
  select next.account_id, next.name, lane.number + 1
  from lane cross join lateral (
    select item.account_id, ''::text as name from "thread_messages" as item
    where item.due_at is not null and item.account_id > lane.account_id
    order by account_id limit 1) as next
  where lane.number < 500
), busy as materialized (
  select * from json_to_recordset($2::json) as busy ("accountId" text, lane text, count int)
), candidate as materialized (
  select one.place,
         row_number() over (partition by lane.account_id order by one.due_at)
           + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
  from lane cross join lateral (
    select item.ctid as place, "item"."due_at" as due_at from "thread_messages" as item
    where "item"."account_id" = lane.account_id and item.due_at is not null and ("item"."due_at" <= now() and ("item"."claimed_until" is null or "item"."claimed_until" <= now()))
    order by "item"."due_at"
    limit $3) as one
  where "lane"."account_id" not in (
select account_id from account_holds where reason <> 'cost')
), claimed as (
  update "thread_messages" as item
  set "claimed_until" = now() + 15 * interval '1 second'
  -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
  where item.ctid = any(array(
    select place from candidate where turn <= $4::int
    order by turn limit $5::int)) and item.due_at is not null and ("item"."due_at" <= now() and ("item"."claimed_until" is null or "item"."claimed_until" <= now()))
  returning item.*
)
select case when (select count(*) from lane) < 500 then ''
         else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
       one.*
from (select) as always left join (
  select claimed.account_id as "accountId", claimed.id, ''::text as lane,
claimed.thread_id as "threadId", claimed.turn, claimed.text, claimed.data, claimed.files,
claimed.run_id as "runId", claimed.status, claimed.tries,
extract(epoch from now() - claimed.created_at)::float8 as "ageSeconds",
json_build_object('id', claimed.author_id, 'name', claimed.author_name) as author,
claimed.stopped_by as "stoppedBy", threads.workflow_id as "workflowId", threads.version, threads.tags
  from claimed join threads on threads.account_id = claimed.account_id and threads.id = claimed.thread_id) as one on true;

-- thread_messages: renewed
  update "thread_messages"
  set "claimed_until" = now() + 15 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "thread_messages" as item on item.account_id = named.account_id and item.id = named.id
    where item.due_at is not null and "item"."claimed_until" > now()
    for update of item skip locked));

-- thread_messages: settled
update "thread_messages" as item set "due_at" = now() + input.wait_seconds * interval '1 second', "claimed_until" = null
from (
  select * from json_to_recordset($1::json) as input
    (number int, account_id text, id text, wait_seconds float8, is_certain boolean)
  where (input.number || '') = input.number::text) as input
where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (item.due_at is not null or input.is_certain);

-- bulk_operations: claimed
      select pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied')) as "isHeld";

with recursive lane (account_id, name, number) as (
  -- Each lane with open rows, by one index probe.
  (select item.account_id, ''::text, 1 from "bulk_operations" as item
   where item.due_at is not null and item.account_id > $1::text
   order by account_id limit 1)
  union all
  select next.account_id, next.name, lane.number + 1
  from lane cross join lateral (
    select item.account_id, ''::text as name from "bulk_operations" as item
    where item.due_at is not null and item.account_id > lane.account_id
    order by account_id limit 1) as next
  where lane.number < 500
), busy as materialized (
  select * from json_to_recordset($2::json) as busy ("accountId" text, lane text, count int)
), candidate as materialized (
  select one.place,
         row_number() over (partition by lane.account_id order by one.due_at)
           + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
  from lane cross join lateral (
    select item.ctid as place, "item"."due_at" as due_at from "bulk_operations" as item
    where "item"."account_id" = lane.account_id and item.due_at is not null and "item"."due_at" <= now()
    order by "item"."due_at"
    limit $3) as one
  where "lane"."account_id" not in (
select account_id from account_holds where reason <> 'cost')
), claimed as (
  update "bulk_operations" as item
  set "due_at" = now() + 30 * interval '1 second'
  -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
  where item.ctid = any(array(
    select place from candidate where turn <= $4::int
    order by turn limit $5::int)) and item.due_at is not null and "item"."due_at" <= now()
  returning item.*
)
select case when (select count(*) from lane) < 500 then ''
         else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
       one.*
from (select) as always left join (
  select claimed.account_id as "accountId", claimed.id, ''::text as lane,
claimed.action, claimed.created_by as "createdBy", claimed.creator_name as "creatorName",
claimed.done + claimed.skipped as worked, coalesce(claimed.tries, '{}') as "triesOf",
claimed.run_ids[claimed.done + claimed.skipped + 1 : claimed.done + claimed.skipped + 50]
  as "runIds"
  from claimed ) as one on true;

-- bulk_operations: renewed
  update "bulk_operations"
  set "due_at" = now() + 30 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "bulk_operations" as item on item.account_id = named.account_id and item.id = named.id
    where item.due_at is not null and "item"."due_at" > now()
    for update of item skip locked));

-- bulk_operations: settled
update "bulk_operations" as item set "held" = "input"."held", "due_at" = now() + input.wait_seconds * interval '1 second'
from (
  select * from json_to_recordset($1::json) as input
    (number int, account_id text, id text, wait_seconds float8, is_certain boolean, held text)
  where (input.number || '') = input.number::text) as input
where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (item.due_at is not null or input.is_certain);

-- mailboxes: claimed
      select pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied')) as "isHeld";

with recursive lane (account_id, name, number) as (
  -- Each lane with open rows, by one index probe.
  (select item.account_id, ''::text, 1 from "mailboxes" as item
   where item.active and item.account_id > $1::text
   order by account_id limit 1)
  union all
  select next.account_id, next.name, lane.number + 1
  from lane cross join lateral (
    select item.account_id, ''::text as name from "mailboxes" as item
    where item.active and item.account_id > lane.account_id
    order by account_id limit 1) as next
  where lane.number < 500
), busy as materialized (
  select * from json_to_recordset($2::json) as busy ("accountId" text, lane text, count int)
), candidate as materialized (
  select one.place,
         row_number() over (partition by lane.account_id order by one.due_at)
           + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
  from lane cross join lateral (
    select item.ctid as place, "item"."next_poll_at" as due_at from "mailboxes" as item
    where "item"."account_id" = lane.account_id and item.active and ("item"."next_poll_at" <= now() and ("item"."claimed_until" is null or "item"."claimed_until" <= now()))
    order by "item"."next_poll_at"
    limit $3) as one
  where "lane"."account_id" not in (
select account_id from account_holds where reason <> 'cost')
), claimed as (
  update "mailboxes" as item
  set "claimed_until" = now() + 120 * interval '1 second'
  -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
  where item.ctid = any(array(
    select place from candidate where turn <= $4::int
    order by turn limit $5::int)) and item.active and ("item"."next_poll_at" <= now() and ("item"."claimed_until" is null or "item"."claimed_until" <= now()))
  returning item.*
)
select case when (select count(*) from lane) < 500 then ''
         else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
       one.*
from (select) as always left join (
  select claimed.account_id as "accountId", claimed.id, ''::text as lane, "claimed"."name", "claimed"."host", "claimed"."port", "claimed"."username", "claimed"."secure", "claimed"."secret", "claimed"."version", "claimed"."folder", "claimed"."workflow_id", "claimed"."senders", "claimed"."require_authenticated", "claimed"."authserv_id", "claimed"."subject_contains", "claimed"."poll_seconds", "claimed"."active", "claimed"."starts_at", "claimed"."uid_validity", "claimed"."last_uid", "claimed"."rereads", "claimed"."authors", "claimed"."checked_at", "claimed"."failing_since", "claimed"."check_message", "claimed"."created_at", "claimed"."updated_at"
  from claimed ) as one on true;

-- mailboxes: renewed
  update "mailboxes"
  set "claimed_until" = now() + 120 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "mailboxes" as item on item.account_id = named.account_id and item.id = named.id
    where item.active and "item"."claimed_until" > now()
    for update of item skip locked));

-- mailboxes: settled
update "mailboxes" as item set "next_poll_at" = now() + input.wait_seconds * interval '1 second', "claimed_until" = null
from (
  select * from json_to_recordset($1::json) as input
    (number int, account_id text, id text, wait_seconds float8, is_certain boolean)
  where (input.number || '') = input.number::text) as input
where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (item.active or input.is_certain);

-- webhook_deliveries: claimed
pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held) as "isHeld";

  with recursive lane (account_id, name, number) as (
    -- Each lane with open rows, by one index probe.
    (select item.account_id, "item"."endpoint_id", 1 from "webhook_deliveries" as item
     where item.status = 'pending' and (item.account_id, "item"."endpoint_id") > ($1::text, $2::text)
     order by account_id, "endpoint_id" limit 1)
    union all
    select next.account_id, next.name, lane.number + 1
    from lane cross join lateral (
      select item.account_id, "item"."endpoint_id" as name from "webhook_deliveries" as item
      where item.status = 'pending' and (item.account_id, "item"."endpoint_id") > (lane.account_id, lane.name)
      order by account_id, "endpoint_id" limit 1) as next
    where lane.number < 500
  ), busy as materialized (
    select * from json_to_recordset($3::json) as busy ("accountId" text, lane text, count int)
  ), candidate as materialized (
    select one.place,
           row_number() over (partition by lane.account_id order by one.due_at)
             + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
    from lane cross join lateral (
      select item.ctid as place, "item"."next_attempt_at" as due_at from "webhook_deliveries" as item
      where "item"."account_id" = lane.account_id and "item"."endpoint_id" = lane.name and item.status = 'pending' and ("item"."next_attempt_at" <= now() and ("item"."claimed_until" is null or "item"."claimed_until" <= now()))
      order by "item"."next_attempt_at"
      limit greatest(0, 10 - coalesce((
        select busy.count from busy where busy."accountId" = lane.account_id and busy.lane = lane.name), 0))) as one
    where "lane"."account_id" not in (
  select account_id from account_holds where reason <> 'cost') and exists (
  select from webhook_endpoints as endpoint
  where endpoint.account_id = lane.account_id and endpoint.id = lane.name and endpoint.active)
  ), claimed as (
    update "webhook_deliveries" as item
    set "claimed_until" = now() + 8 * interval '1 second'
    -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
    where item.ctid = any(array(
      select place from candidate where turn <= $4::int
      order by turn limit $5::int)) and item.status = 'pending' and ("item"."next_attempt_at" <= now() and ("item"."claimed_until" is null or "item"."claimed_until" <= now()))
    returning item.*
  )
  select case when (select count(*) from lane) < 500 then ''
           else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
         one.*
  from (select) as always left join (
    select claimed.account_id as "accountId", claimed.id, "claimed"."endpoint_id" as lane,
  claimed.event_id as "eventId", claimed.event_type as "eventType", claimed.created_at as "createdAt",
  claimed.snapshot, claimed.scheduled_attempts as "scheduledAttempts",
  claimed.manual_requests > 0 as "isManual", endpoint.url, endpoint.secret,
  case when endpoint.previous_secret_expires_at > now() then endpoint.previous_secret end as "previousSecret",
case when runs.id is not null then json_build_object('input', runs.input,
  'output', runs.output, 'data', runs.data, 'output_json', runs.output_json) end as run
    from claimed
  join webhook_endpoints as endpoint on endpoint.account_id = claimed.account_id
    and endpoint.id = claimed.endpoint_id
  left join runs on runs.account_id = "claimed"."account_id" and runs.id = "claimed"."run_id") as one on true;

-- webhook_deliveries: renewed
  update "webhook_deliveries"
  set "claimed_until" = now() + 8 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "webhook_deliveries" as item on item.account_id = named.account_id and item.id = named.id
    where item.status = 'pending' and "item"."claimed_until" > now()
    for update of item skip locked));

-- webhook_deliveries: settled
update "webhook_deliveries" as item set "next_attempt_at" = now() + input.wait_seconds * interval '1 second', "claimed_until" = null
from (
  select * from json_to_recordset($1::json) as input
    (number int, account_id text, id text, wait_seconds float8, is_certain boolean)
  where (input.number || '') = input.number::text) as input
where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (item.status = 'pending' or input.is_certain);

-- notifications: claimed
pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held) as "isHeld";

  with recursive lane (account_id, name, number) as (
    -- Each lane with open rows, by one index probe.
    (select item.account_id, ''::text, 1 from "notifications" as item
     where item.next_attempt_at is not null and item.account_id > $1::text
     order by account_id limit 1)
    union all
    select next.account_id, next.name, lane.number + 1
    from lane cross join lateral (
      select item.account_id, ''::text as name from "notifications" as item
      where item.next_attempt_at is not null and item.account_id > lane.account_id
      order by account_id limit 1) as next
    where lane.number < 500
  ), busy as materialized (
    select * from json_to_recordset($2::json) as busy ("accountId" text, lane text, count int)
  ), candidate as materialized (
    select one.place,
           row_number() over (partition by lane.account_id order by one.due_at)
             + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
    from lane cross join lateral (
      select item.ctid as place, "item"."next_attempt_at" as due_at from "notifications" as item
      where "item"."account_id" = lane.account_id and item.next_attempt_at is not null and ("item"."next_attempt_at" <= now() and ("item"."claimed_until" is null or "item"."claimed_until" <= now()))
      order by "item"."next_attempt_at"
      limit $3) as one
    where "lane"."account_id" not in (
  select account_id from account_holds where reason <> 'cost')
  ), claimed as (
    update "notifications" as item
    set "claimed_until" = now() + 30 * interval '1 second'
    -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
    where item.ctid = any(array(
      select place from candidate where turn <= $4::int
      order by turn limit $5::int)) and item.next_attempt_at is not null and ("item"."next_attempt_at" <= now() and ("item"."claimed_until" is null or "item"."claimed_until" <= now()))
    returning item.*
  )
  select case when (select count(*) from lane) < 500 then ''
           else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
         one.*
  from (select) as always left join (
    select claimed.account_id as "accountId", claimed.id, ''::text as lane,
  claimed.kind, claimed.key, claimed.run_id as "runId", claimed.pending_id as "pendingId",
  claimed.call_id as "callId", claimed.recipient, claimed.body, claimed.status, claimed.tries,
  claimed.is_open as "isOpen", claimed.place, (
select json_build_object('id', first.id, 'place', first.place) from notifications as first
where first.account_id = claimed.account_id and first.channel_id = claimed.channel_id
  and first.pending_id = claimed.pending_id and first.kind = 'case'
  and first.recipient = claimed.recipient and first.id <> claimed.id limit 1) as thread, (select row_to_json(channel)) as channel
    from claimed
  join channels as channel on channel.account_id = claimed.account_id and channel.id = claimed.channel_id) as one on true;

-- notifications: renewed
  update "notifications"
  set "claimed_until" = now() + 30 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "notifications" as item on item.account_id = named.account_id and item.id = named.id
    where item.next_attempt_at is not null and "item"."claimed_until" > now()
    for update of item skip locked));

-- notifications: settled
update "notifications" as item set "next_attempt_at" = now() + input.wait_seconds * interval '1 second', "claimed_until" = null
from (
  select * from json_to_recordset($1::json) as input
    (number int, account_id text, id text, wait_seconds float8, is_certain boolean)
  where (input.number || '') = input.number::text) as input
where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (item.next_attempt_at is not null or input.is_certain);

-- alerts: claimed
      select pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied')) as "isHeld";

  with recursive lane (account_id, name, number) as (
    -- Each lane with open rows, by one index probe.
    (select item.account_id, ''::text, 1 from "alerts" as item
     where item.active and
(last_fired_at is null or last_fired_at + at_most_every_minutes * interval '1 minute' <= now()) and item.account_id > $1::text
     order by account_id limit 1)
    union all
    select next.account_id, next.name, lane.number + 1
    from lane cross join lateral (
      select item.account_id, ''::text as name from "alerts" as item
      where item.active and
(last_fired_at is null or last_fired_at + at_most_every_minutes * interval '1 minute' <= now()) and item.account_id > lane.account_id
      order by account_id limit 1) as next
    where lane.number < 500
  ), busy as materialized (
    select * from json_to_recordset($2::json) as busy ("accountId" text, lane text, count int)
  ), candidate as materialized (
    select one.place,
           row_number() over (partition by lane.account_id order by one.due_at)
             + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
    from lane cross join lateral (
      select item.ctid as place, "item"."next_check_at" as due_at from "alerts" as item
      where "item"."account_id" = lane.account_id and item.active and
(last_fired_at is null or last_fired_at + at_most_every_minutes * interval '1 minute' <= now()) and "item"."next_check_at" <= now()
      order by "item"."next_check_at"
      limit $3) as one
    where "lane"."account_id" not in (
  select account_id from account_holds where reason <> 'cost')
  ), claimed as (
    update "alerts" as item
    set "next_check_at" = now() + 30 * interval '1 second'
    -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
    where item.ctid = any(array(
      select place from candidate where turn <= $4::int
      order by turn limit $5::int)) and item.active and
(last_fired_at is null or last_fired_at + at_most_every_minutes * interval '1 minute' <= now()) and "item"."next_check_at" <= now()
    returning item.*
  )
  select case when (select count(*) from lane) < 500 then ''
           else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
         one.*
  from (select) as always left join (
    select claimed.account_id as "accountId", claimed.id, ''::text as lane
    from claimed ) as one on true;

-- alerts: renewed
    update "alerts"
    set "next_check_at" = now() + 30 * interval '1 second'
    where ctid = any(array(
      select item.ctid from (
  select * from unnest($1::text[], $2::text[])
    with ordinality as input (account_id, id, number)
  where (input.number || '') = input.number::text) as named
      join "alerts" as item on item.account_id = named.account_id and item.id = named.id
      where item.active and
(last_fired_at is null or last_fired_at + at_most_every_minutes * interval '1 minute' <= now()) and "item"."next_check_at" > now()
      for update of item skip locked));

-- alerts: settled
    update "alerts" as item set "next_check_at" = now() + input.wait_seconds * interval '1 second'
    from (
      select * from json_to_recordset($1::json) as input
        (number int, account_id text, id text, wait_seconds float8, is_certain boolean)
      where (input.number || '') = input.number::text) as input
    where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (item.active and
(last_fired_at is null or last_fired_at + at_most_every_minutes * interval '1 minute' <= now()) or input.is_certain);

-- fine_tunes: claimed
      select pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied')) as "isHeld";

with recursive lane (account_id, name, number) as (
  -- Each lane with open rows, by one index probe.
  (select item.account_id, ''::text, 1 from "fine_tunes" as item
   where
item.next_sync_at is not null
and (item.stage = 'created' or item.created_at < now() - interval '10 minutes') and item.account_id > $1::text
   order by account_id limit 1)
  union all
  select next.account_id, next.name, lane.number + 1
  from lane cross join lateral (
    select item.account_id, ''::text as name from "fine_tunes" as item
    where
item.next_sync_at is not null
and (item.stage = 'created' or item.created_at < now() - interval '10 minutes') and item.account_id > lane.account_id
    order by account_id limit 1) as next
  where lane.number < 500
), busy as materialized (
  select * from json_to_recordset($2::json) as busy ("accountId" text, lane text, count int)
), candidate as materialized (
  select one.place,
         row_number() over (partition by lane.account_id order by one.due_at)
           + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
  from lane cross join lateral (
    select item.ctid as place, "item"."next_sync_at" as due_at from "fine_tunes" as item
    where "item"."account_id" = lane.account_id and
item.next_sync_at is not null
and (item.stage = 'created' or item.created_at < now() - interval '10 minutes') and "item"."next_sync_at" <= now()
    order by "item"."next_sync_at"
    limit $3) as one
  where true
), claimed as (
  update "fine_tunes" as item
  set "next_sync_at" = now() + 60 * interval '1 second'
  -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
  where item.ctid = any(array(
    select place from candidate where turn <= $4::int
    order by turn limit $5::int)) and
item.next_sync_at is not null
and (item.stage = 'created' or item.created_at < now() - interval '10 minutes') and "item"."next_sync_at" <= now()
  returning item.*
)
select case when (select count(*) from lane) < 500 then ''
         else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
       one.*
from (select) as always left join (
  select claimed.account_id as "accountId", claimed.id, ''::text as lane,
claimed.*, case when drops_model then deleted_at else coalesce(finished_at, deleted_at) end
  < now() - interval '1 day' as "isOld"
  from claimed ) as one on true;

-- fine_tunes: renewed
  update "fine_tunes"
  set "next_sync_at" = now() + 60 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "fine_tunes" as item on item.account_id = named.account_id and item.id = named.id
    where
item.next_sync_at is not null
and (item.stage = 'created' or item.created_at < now() - interval '10 minutes') and "item"."next_sync_at" > now()
    for update of item skip locked));

-- fine_tunes: settled
  update "fine_tunes" as item set "next_sync_at" = now() + input.wait_seconds * interval '1 second'
  from (
    select * from json_to_recordset($1::json) as input
      (number int, account_id text, id text, wait_seconds float8, is_certain boolean)
    where (input.number || '') = input.number::text) as input
  where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (
item.next_sync_at is not null
and (item.stage = 'created' or item.created_at < now() - interval '10 minutes') or input.is_certain);

-- file_contents: claimed
      select pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied')) as "isHeld";

with recursive lane (account_id, name, number) as (
  -- Each lane with open rows, by one index probe.
  (select item.account_id, ''::text, 1 from "file_contents" as item
   where item.due_at is not null and item.account_id > $1::text
   order by account_id limit 1)
  union all
  select next.account_id, next.name, lane.number + 1
  from lane cross join lateral (
    select item.account_id, ''::text as name from "file_contents" as item
    where item.due_at is not null and item.account_id > lane.account_id
    order by account_id limit 1) as next
  where lane.number < 500
), busy as materialized (
  select * from json_to_recordset($2::json) as busy ("accountId" text, lane text, count int)
), candidate as materialized (
  select one.place,
         row_number() over (partition by lane.account_id order by one.due_at)
           + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
  from lane cross join lateral (
    select item.ctid as place, "item"."due_at" as due_at from "file_contents" as item
    where "item"."account_id" = lane.account_id and item.due_at is not null and "item"."due_at" <= now()
    order by "item"."due_at"
    limit $3) as one
  where true
), claimed as (
  update "file_contents" as item
  set "due_at" = now() + 600 * interval '1 second'
  -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
  where item.ctid = any(array(
    select place from candidate where turn <= $4::int
    order by turn limit $5::int)) and item.due_at is not null and "item"."due_at" <= now()
  returning item.*
)
select case when (select count(*) from lane) < 500 then ''
         else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
       one.*
from (select) as always left join (
  select claimed.account_id as "accountId", claimed.id, ''::text as lane
  from claimed ) as one on true;

-- file_contents: renewed
  update "file_contents"
  set "due_at" = now() + 600 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "file_contents" as item on item.account_id = named.account_id and item.id = named.id
    where item.due_at is not null and "item"."due_at" > now()
    for update of item skip locked));

-- file_contents: settled
update "file_contents" as item set "due_at" = now() + input.wait_seconds * interval '1 second'
from (
  select * from json_to_recordset($1::json) as input
    (number int, account_id text, id text, wait_seconds float8, is_certain boolean)
  where (input.number || '') = input.number::text) as input
where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (item.due_at is not null or input.is_certain);

-- connectors: claimed
      select pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied')) as "isHeld";

with recursive lane (account_id, name, number) as (
  -- Each lane with open rows, by one index probe.
  (select item.account_id, ''::text, 1 from "connectors" as item
   where item.kind = 'openapi' and item.read_again_at is not null and item.account_id > $1::text
   order by account_id limit 1)
  union all
  select next.account_id, next.name, lane.number + 1
  from lane cross join lateral (
    select item.account_id, ''::text as name from "connectors" as item
    where item.kind = 'openapi' and item.read_again_at is not null and item.account_id > lane.account_id
    order by account_id limit 1) as next
  where lane.number < 500
), busy as materialized (
  select * from json_to_recordset($2::json) as busy ("accountId" text, lane text, count int)
), candidate as materialized (
  select one.place,
         row_number() over (partition by lane.account_id order by one.due_at)
           + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
  from lane cross join lateral (
    select item.ctid as place, "item"."read_again_at" as due_at from "connectors" as item
    where "item"."account_id" = lane.account_id and item.kind = 'openapi' and item.read_again_at is not null and "item"."read_again_at" <= now()
    order by "item"."read_again_at"
    limit $3) as one
  where "lane"."account_id" not in (
select account_id from account_holds where reason <> 'cost')
), claimed as (
  update "connectors" as item
  set "read_again_at" = now() + 120 * interval '1 second'
  -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
  where item.ctid = any(array(
    select place from candidate where turn <= $4::int
    order by turn limit $5::int)) and item.kind = 'openapi' and item.read_again_at is not null and "item"."read_again_at" <= now()
  returning item.*
)
select case when (select count(*) from lane) < 500 then ''
         else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
       one.*
from (select) as always left join (
  select claimed.account_id as "accountId", claimed.id, ''::text as lane,
claimed.kind, claimed.secret, claimed.version, claimed.url, claimed.header_names,
claimed.safe_tools, claimed.picked, claimed.tools, claimed.changed_tools, claimed.label,
claimed.settings, claimed.changes, claimed.checked_at, claimed.failing_since,
claimed.check_message
  from claimed ) as one on true;

-- connectors: renewed
  update "connectors"
  set "read_again_at" = now() + 120 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "connectors" as item on item.account_id = named.account_id and item.id = named.id
    where item.kind = 'openapi' and item.read_again_at is not null and "item"."read_again_at" > now()
    for update of item skip locked));

-- connectors: settled
update "connectors" as item set "read_again_at" = now() + input.wait_seconds * interval '1 second'
from (
  select * from json_to_recordset($1::json) as input
    (number int, account_id text, id text, wait_seconds float8, is_certain boolean)
  where (input.number || '') = input.number::text) as input
where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (item.kind = 'openapi' and item.read_again_at is not null or input.is_certain);

-- connector_logins: claimed
      select pg_try_advisory_xact_lock(1836544619, hashtext($1)) as "isFree",
exists (select 1 from epochs where deliveries_held and reason in ('restored', 'copied')) as "isHeld";

with recursive lane (account_id, name, number) as (
  -- Each lane with open rows, by one index probe.
  (select item.account_id, ''::text, 1 from "connector_logins" as item
   where item.refresh_at is not null and item.account_id > $1::text
   order by account_id limit 1)
  union all
  select next.account_id, next.name, lane.number + 1
  from lane cross join lateral (
    select item.account_id, ''::text as name from "connector_logins" as item
    where item.refresh_at is not null and item.account_id > lane.account_id
    order by account_id limit 1) as next
  where lane.number < 500
), busy as materialized (
  select * from json_to_recordset($2::json) as busy ("accountId" text, lane text, count int)
), candidate as materialized (
  select one.place,
         row_number() over (partition by lane.account_id order by one.due_at)
           + coalesce((select sum(busy.count) from busy where busy."accountId" = lane.account_id), 0) as turn
  from lane cross join lateral (
    select item.ctid as place, "item"."refresh_at" as due_at from "connector_logins" as item
    where "item"."account_id" = lane.account_id and item.refresh_at is not null and ("item"."refresh_at" <= now() and ("item"."claimed_until" is null or "item"."claimed_until" <= now()))
    order by "item"."refresh_at"
    limit $3) as one
  where "lane"."account_id" not in (
select account_id from account_holds where reason <> 'cost')
), claimed as (
  update "connector_logins" as item
  set "claimed_until" = now() + 60 * interval '1 second'
  -- By ctid, because the planner would scan the whole table for a join with an unknown number of rows.
  where item.ctid = any(array(
    select place from candidate where turn <= $4::int
    order by turn limit $5::int)) and item.refresh_at is not null and ("item"."refresh_at" <= now() and ("item"."claimed_until" is null or "item"."claimed_until" <= now()))
  returning item.*
)
select case when (select count(*) from lane) < 500 then ''
         else (select account_id || ' ' || name from lane order by number desc limit 1) end as next,
       one.*
from (select) as always left join (
  select claimed.account_id as "accountId", claimed.id, ''::text as lane, claimed.connector_id, claimed.user_id, claimed.secret, claimed.version
  from claimed ) as one on true;

-- connector_logins: renewed
  update "connector_logins"
  set "claimed_until" = now() + 60 * interval '1 second'
  where ctid = any(array(
    select item.ctid from (
select * from unnest($1::text[], $2::text[])
  with ordinality as input (account_id, id, number)
where (input.number || '') = input.number::text) as named
    join "connector_logins" as item on item.account_id = named.account_id and item.id = named.id
    where item.refresh_at is not null and "item"."claimed_until" > now()
    for update of item skip locked));

-- connector_logins: settled
update "connector_logins" as item set "refresh_at" = now() + input.wait_seconds * interval '1 second', "claimed_until" = null
from (
  select * from json_to_recordset($1::json) as input
    (number int, account_id text, id text, wait_seconds float8, is_certain boolean)
  where (input.number || '') = input.number::text) as input
where "item"."account_id" = "input"."account_id" and "item"."id" = "input"."id" and (item.refresh_at is not null or input.is_certain);
