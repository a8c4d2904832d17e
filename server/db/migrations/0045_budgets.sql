-- Readable from 0012
-- What model calls may cost in a day, week or month of a time zone.
create table budgets (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  name text not null,
  -- What it counts: all, or the calls of one workflow, agent or tag (`key:value`).
  scope text not null check (scope in ('account', 'workflow', 'agent', 'tag')),
  scope_value text collate "C",
  unit text not null check (unit in ('day', 'week', 'month')),
  time_zone text not null,
  cap_usd numeric not null,
  thresholds numeric[] not null default '{}',
  on_cap text not null check (on_cap in ('hold', 'refuse', 'fallback')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  check ((scope = 'account') = (scope_value is null))
);

-- What was spent in a window. A window is there from its first call on, so none has to be reset.
create table budget_windows (
  account_id text collate "C" not null,
  budget_id text collate "C" not null,
  starts_at timestamptz(3) not null,
  spent_usd numeric not null default 0,
  primary key (account_id, budget_id, starts_at),
  foreign key (account_id, budget_id) references budgets (account_id, id) on delete cascade
);

-- Estimates of calls in progress, of every process. One that is not renewed no longer counts.
create table budget_reservations (
  account_id text collate "C" not null,
  id text collate "C" not null,
  budget_id text collate "C" not null,
  starts_at timestamptz(3) not null,
  amount_usd numeric not null,
  expires_at timestamptz(3) not null,
  primary key (account_id, budget_id, id),
  foreign key (account_id, budget_id) references budgets (account_id, id) on delete cascade
);

-- Whether a call has to ask: accounts without budgets pay nothing for them.
alter table accounts add column has_budgets boolean not null default false;
