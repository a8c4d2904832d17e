-- Readable from 0012
-- Schedules, which start runs by themselves, and their firings: one row for each moment at which a schedule was due.
create table schedules (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  -- The caller's own name for it: applying a schedule twice makes one.
  key text collate "C",
  name text not null,
  -- No foreign key: the workflow may be deleted, and then a firing says so.
  workflow_id text collate "C" not null,
  cron text,
  time_zone text not null,
  every_seconds integer,
  -- From which moment on intervals count.
  counts_from timestamptz(3) not null default now(),
  at timestamptz(3),
  input text,
  data jsonb,
  tags jsonb,
  overlap text not null check (overlap in ('skip', 'queue', 'cancel_previous', 'allow')),
  catch_up text not null check (catch_up in ('none', 'last', 'all')),
  catch_up_seconds integer not null,
  jitter_seconds integer not null,
  ends_at timestamptz(3),
  pause_after_failures integer,
  status text not null check (status in ('active', 'paused', 'ended')),
  paused_reason text,
  -- Failed runs count from here on.
  resumed_at timestamptz(3) not null default now(),
  -- The first moment that has no firing yet, and when its run starts: behind it by the jitter.
  next_due_at timestamptz(3),
  next_start_at timestamptz(3),
  -- Grows with each change of the definition.
  revision integer not null default 0,
  -- Firings so far; the newest 1,000 are kept.
  firing_count bigint not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check (num_nonnulls(cron, every_seconds, at) = 1),
  check ((next_due_at is null) = (next_start_at is null)),
  check (status = 'active' or next_due_at is null)
) with (fillfactor = 70);
create index schedules_by_account on schedules (account_id, created_at desc, id desc);
create unique index schedules_by_key on schedules (account_id, key) where key is not null;
create index schedules_due on schedules (next_start_at) where next_start_at is not null;
alter table schedules add primary key (account_id, id);

create table schedule_firings (
  account_id text collate "C" not null,
  id text collate "C" not null,
  schedule_id text collate "C" not null,
  -- Of the schedule, from 1.
  number bigint not null,
  kind text not null check (kind in ('scheduled', 'manual', 'backfill')),
  due_at timestamptz(3) not null,
  -- All moments up to this one were missed as well.
  missed_until timestamptz(3),
  status text not null check (status in ('due', 'fired', 'skipped', 'missed')),
  why text,
  -- Reserved before the run is made, so that a repeat after a crash finds it.
  run_id text collate "C",
  -- It waits for the run before it.
  waits boolean not null default false,
  -- When it is due: no process starts it before this time.
  next_try_at timestamptz(3),
  settled_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  foreign key (account_id, schedule_id) references schedules (account_id, id) on delete cascade,
  check ((status = 'due') = (next_try_at is not null))
) with (fillfactor = 70);
-- Each moment once.
create unique index schedule_firings_once on schedule_firings (account_id, schedule_id, due_at)
  where kind <> 'manual';
create unique index schedule_firings_by_number on schedule_firings (account_id, schedule_id, number);
create index schedule_firings_by_schedule
  on schedule_firings (account_id, schedule_id, due_at desc, id desc);
create index schedule_firings_due on schedule_firings (next_try_at) where status = 'due';
create index schedule_firings_waiting on schedule_firings (account_id, schedule_id) where status = 'due';
alter table schedule_firings add primary key (account_id, id);
