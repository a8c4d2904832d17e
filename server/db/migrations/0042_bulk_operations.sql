-- Readable from 0012
-- Cancels or retries many runs in the background.
create table bulk_operations (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  action text not null check (action in ('cancel', 'retry')),
  -- What was asked for, as it was sent.
  filter json not null,
  -- The runs that matched, in the order in which they are worked on; null once all are.
  run_ids text[] collate "C",
  matched integer not null,
  -- Runs of which the action is over, done or skipped.
  done integer not null default 0,
  skipped integer not null default 0,
  created_by text not null,
  creator_name text not null,
  due_at timestamptz(3) default now(),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  primary key (account_id, id)
);
create index bulk_operations_due on bulk_operations (due_at) where due_at is not null;
