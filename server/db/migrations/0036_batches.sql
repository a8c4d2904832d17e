-- Readable from 0012
-- One workflow run over many inputs: each item becomes one run, under an id that is reserved here.
create table batches (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  workflow_id text collate "C" not null,
  name text,
  -- Runs of the batch in progress at once.
  concurrency integer not null,
  status text not null default 'running' check (status in ('running', 'cancelling', 'cancelled', 'completed')),
  -- Why no further item can start for now.
  held text,
  -- Items by their status, as of the last look at their runs.
  total integer not null,
  queued integer not null,
  running integer not null default 0,
  waiting integer not null default 0,
  completed integer not null default 0,
  failed integer not null default 0,
  cancelled integer not null default 0,
  cost_usd numeric not null default 0,
  -- Who asked for it: in their name its runs are triggered.
  created_by text not null,
  creator_name text not null,
  -- When its runs are looked at next; null once it has ended.
  due_at timestamptz(3) default now(),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  primary key (account_id, id)
);
create index batches_due on batches (due_at) where due_at is not null;
create index batches_newest on batches (account_id, created_at desc, id desc);

create table batch_items (
  account_id text collate "C" not null,
  batch_id text collate "C" not null,
  position integer not null,
  key text collate "C",
  -- Input, data, files and tags of its run.
  item json not null,
  -- Reserved before the run is there; another one for each retry.
  run_id text collate "C" not null,
  -- The run that failed before.
  retry_of text collate "C",
  status text not null default 'queued'
    check (status in ('queued', 'running', 'waiting', 'completed', 'failed', 'cancelled')),
  error text,
  -- Of all its runs.
  cost_usd numeric not null default 0,
  primary key (account_id, batch_id, position),
  foreign key (account_id, batch_id) references batches (account_id, id) on delete cascade
);
create unique index batch_items_by_key on batch_items (account_id, batch_id, key) where key is not null;
create index batch_items_by_status on batch_items (account_id, batch_id, status, position);
