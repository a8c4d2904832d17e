-- Readable from 0012
-- Failed tries of what starts runs by itself; after five of them an item is failed.
alter table schedule_firings add column tries integer not null default 0;
alter table mailbox_messages add column tries integer not null default 0;
alter table batch_items add column tries integer not null default 0;
-- Not tried before this time, after a failed try.
alter table batch_items add column next_try_at timestamptz(3);
-- Failed tries by run.
alter table bulk_operations add column tries jsonb;
-- Why the runs that are left wait.
alter table bulk_operations add column held text;
-- The first skipped runs, and why.
alter table bulk_operations add column problems jsonb;
-- The folder was renumbered and is read again: older messages start nothing.
alter table mailboxes add column rereads boolean not null default false;
