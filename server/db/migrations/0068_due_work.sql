-- Readable from 0012
-- Due work is found account by account, so that an account with much of it does not hide that of others.
drop index hook_deliveries_due;
create index hook_deliveries_due on hook_deliveries (account_id, next_try_at) where status = 'pending';
-- `schedule_firings_waiting` finds the schedules with due firings.
drop index schedule_firings_due;
drop index batches_due;
create index batches_due on batches (account_id, due_at) where due_at is not null;
drop index bulk_operations_due;
create index bulk_operations_due on bulk_operations (account_id, due_at) where due_at is not null;
drop index mailboxes_to_poll;
create index mailboxes_to_poll on mailboxes (account_id, next_poll_at) where active;
drop index fine_tunes_due;
create index fine_tunes_due on fine_tunes (account_id, next_sync_at) where next_sync_at is not null;
drop index file_contents_due;
create index file_contents_due on file_contents (account_id, due_at) where due_at is not null;
