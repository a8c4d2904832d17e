-- Readable from 0012
-- What an account wants to be told of through its channels when something goes wrong.
create table alerts (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  name text not null,
  "on" text not null,
  -- Null for all.
  workflow_ids text[],
  channel_ids text[],
  minutes integer,
  threshold double precision,
  at_most_every_minutes integer not null,
  active boolean not null default true,
  -- What happened up to this time has been told, or happened before the alert.
  told_until timestamptz(3) not null default now(),
  checked_at timestamptz(3) not null default now(),
  last_fired_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create index alerts_to_check on alerts (checked_at) where active;
