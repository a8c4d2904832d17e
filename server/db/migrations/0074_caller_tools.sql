-- Readable from 0012
-- Tools of agents that processes of the account execute, as JSON, because models write arguments in the order of their
-- schema.
alter table agents add column tools json not null default '[]';

-- Calls of such tools, from the moment they are requested of the account's workers. The ledger (tool_calls) has their
-- arguments and what the agent was told.
create table requested_calls (
  account_id text collate "C" not null,
  -- Id of the call in the ledger.
  id text collate "C" not null,
  run_id text collate "C" not null,
  workflow_id text collate "C" not null,
  -- Key of the call in the ledger.
  step_position smallint not null,
  turn smallint not null,
  position smallint not null,
  -- The standing agent; null for a plain entry.
  agent_id text collate "C",
  -- Name of the tool, without `app.`.
  name text collate "C" not null,
  sensitive boolean not null,
  status text not null default 'requested' check (status in
    ('requested', 'claimed', 'succeeded', 'failed', 'unknown', 'cancelled')),
  -- How often it was given out, and how often before it was requested last.
  try integer not null default 0,
  earlier_tries integer not null default 0,
  requested_at timestamptz(3) not null default now(),
  timeout_seconds integer not null,
  expires_at timestamptz(3) not null,
  -- Token of the last claim; null once another worker may have the call.
  lease text collate "C",
  lease_expires_at timestamptz(3),
  -- The key or user of the last claim, with its name at that time.
  claimed_by text collate "C",
  claimer_name text,
  claimed_at timestamptz(3),
  -- When its lease or its time ends; null once it is closed.
  due_at timestamptz(3),
  -- What a worker reported. A long output is a file of the run, and this its head.
  output json,
  error text,
  -- SHA-256 of the report, by which a repeated one is recognized; null if there was none.
  report_hash bytea,
  finished_at timestamptz(3),
  primary key (account_id, id),
  foreign key (account_id, run_id) references runs (account_id, id) on delete cascade,
  check ((status in ('requested', 'claimed')) = (due_at is not null)),
  check (status <> 'claimed' or (lease is not null and lease_expires_at is not null))
) with (fillfactor = 70);
-- For claims, of any name and of given ones.
create index requested_calls_open on requested_calls (account_id, requested_at, id)
  where status = 'requested';
create index requested_calls_open_by_name on requested_calls (account_id, name, requested_at, id)
  where status = 'requested';
-- Over all accounts, by time.
create index requested_calls_due on requested_calls (due_at) where due_at is not null;
create index requested_calls_of_run on requested_calls (account_id, run_id, status, requested_at desc, id desc);
-- For lists.
create index requested_calls_by_status on requested_calls (account_id, status, requested_at desc, id desc);
create index requested_calls_by_name
  on requested_calls (account_id, name, status, requested_at desc, id desc);

-- Who asked for calls lately: a row for each key, names and network address.
create table tool_workers (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  actor_id text collate "C" not null,
  actor_name text not null,
  -- The tools that it serves; null for all.
  names text[],
  address text,
  first_seen_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  primary key (account_id, id)
) with (fillfactor = 70);

-- Keys for workers, which may do nothing else.
alter table api_keys drop constraint api_keys_role_check;
alter table api_keys add constraint api_keys_role_check
  check (role in ('viewer', 'approver', 'member', 'admin', 'worker'));
