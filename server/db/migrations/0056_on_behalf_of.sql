-- Readable from 0012
-- The people and keys behind a run that a schedule, a hook or the like started: with four eyes none of them may
-- approve its actions. Null for none.
alter table runs add column on_behalf_of jsonb;
-- {creator, editor}: who created it and who changed it last, each {id, name} or null.
alter table schedules add column authors jsonb;
alter table hooks add column authors jsonb;
alter table mailboxes add column authors jsonb;
-- Who asked for it: sent the event again, or asked for a backfill.
alter table hook_deliveries add column asked_by jsonb;
alter table schedule_firings add column asked_by jsonb;
-- Who retried the failed items.
alter table batches add column retried_by jsonb;

-- As far as the audit log reaches.
update schedules set authors = jsonb_build_object('creator', known.creator, 'editor', known.editor)
from (
  select account_id, object_id,
         (array_agg(jsonb_build_object('id', actor_id, 'name', actor_name) order by created_at)
            filter (where action = 'schedule.created'))[1] as creator,
         (array_agg(jsonb_build_object('id', actor_id, 'name', actor_name) order by created_at desc)
            filter (where action = 'schedule.updated'))[1] as editor
  from audit where action in ('schedule.created', 'schedule.updated') and actor_id is not null
  group by account_id, object_id) as known
where known.account_id = schedules.account_id and known.object_id = schedules.id;
update hooks set authors = jsonb_build_object('creator', known.creator, 'editor', known.editor)
from (
  select account_id, object_id,
         (array_agg(jsonb_build_object('id', actor_id, 'name', actor_name) order by created_at)
            filter (where action = 'hook.created'))[1] as creator,
         (array_agg(jsonb_build_object('id', actor_id, 'name', actor_name) order by created_at desc)
            filter (where action in ('hook.updated', 'hook.secret_rotated')))[1] as editor
  from audit where action in ('hook.created', 'hook.updated', 'hook.secret_rotated') and actor_id is not null
  group by account_id, object_id) as known
where known.account_id = hooks.account_id and known.object_id = hooks.id;
update mailboxes set authors = jsonb_build_object('creator', known.creator, 'editor', known.editor)
from (
  select account_id, object_id,
         (array_agg(jsonb_build_object('id', actor_id, 'name', actor_name) order by created_at)
            filter (where action = 'mailbox.created'))[1] as creator,
         (array_agg(jsonb_build_object('id', actor_id, 'name', actor_name) order by created_at desc)
            filter (where action = 'mailbox.updated'))[1] as editor
  from audit where action in ('mailbox.created', 'mailbox.updated') and actor_id is not null
  group by account_id, object_id) as known
where known.account_id = mailboxes.account_id and known.object_id = mailboxes.id;
