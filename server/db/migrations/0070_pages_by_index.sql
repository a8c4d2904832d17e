-- Readable from 0012
-- A filter of a list that may find nothing has an index that says so. Where it is a status, the status comes before
-- the time, and the list of all statuses merges a page of each.
drop index webhook_deliveries_by_endpoint;
create index webhook_deliveries_by_endpoint
  on webhook_deliveries (account_id, endpoint_id, status, created_at desc, id desc);

drop index hook_deliveries_by_hook;
create index hook_deliveries_by_hook
  on hook_deliveries (account_id, hook_id, status, received_at desc, id desc);
-- The one above begins the same way.
drop index hook_deliveries_refused;

drop index schedule_firings_by_schedule;
create index schedule_firings_by_schedule
  on schedule_firings (account_id, schedule_id, status, due_at desc, id desc);

drop index mailbox_messages_by_mailbox;
create index mailbox_messages_by_mailbox
  on mailbox_messages (account_id, mailbox_id, status, created_at desc, id desc);

create index notifications_by_status on notifications (account_id, status, created_at desc, id desc);
create index notifications_by_channel
  on notifications (account_id, channel_id, status, created_at desc, id desc);

create index batches_by_workflow on batches (account_id, workflow_id, created_at desc, id desc);
create index batch_items_warned on batch_items (account_id, batch_id, status, position) where has_warnings;

create index invitations_open on invitations (account_id, created_at desc, id desc)
  where accepted_at is null;

-- What waits for a person: of a workflow; for an action, which is the tool of the request or else its kind; and a
-- request by its id. They are written only while a run waits. Cases of several calls are walked apart, because any of
-- their calls may be the one.
create index runs_waiting_of_workflow on runs (account_id, workflow_id, waiting_since, id)
  where status = 'waiting_input';
create index runs_waiting_for_action on runs (
  account_id,
  (coalesce(substring(pending::text from '"tool" ?: ?"([^"]*)"'), substring(pending::text from '"kind" ?: ?"([^"]*)"'))),
  waiting_since, id)
  where status = 'waiting_input' and pending::text !~ '"(calls|case_id)"';
create index runs_waiting_by_request on runs
  (account_id, (substring(pending::text from '"id" ?: ?"([^"]*)"')), waiting_since, id)
  where status = 'waiting_input' and pending::text !~ '"(calls|case_id)"';
create index runs_waiting_in_cases on runs (account_id, waiting_since, id)
  where status = 'waiting_input' and pending::text ~ '"(calls|case_id)"';
create index cases_by_assignee on cases (account_id, assignee_id) where assignee_id is not null;

-- A run's cost is searched for from the moment it waits for a person, no longer only when it has ended.
insert into run_marks (account_id, run_id, created_at, mark)
select account_id, id, created_at, 'cost ' || step.name
from runs, (values ('0.01', 0.01), ('0.1', 0.1), ('1', 1), ('10', 10), ('100', 100)) as step (name, usd)
where status = 'waiting_input' and cost_usd >= step.usd
on conflict do nothing;
