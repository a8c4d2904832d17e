-- Readable from 0012
-- What an operator decides about an account: that it rests, that it goes away, and how much it may use.

alter table accounts add column suspended_at timestamptz(3);
alter table accounts add column suspension_reason text;
-- The background deletes it and all it owns from then on.
alter table accounts add column deleted_at timestamptz(3);
-- Quotas; null means no limit. Days and months are those of UTC.
alter table accounts add column max_runs_a_day integer;
alter table accounts add column max_mails_a_day integer;
alter table accounts add column max_cost_usd_a_day numeric(20, 10);
alter table accounts add column max_cost_usd_a_month numeric(20, 10);
alter table accounts add column max_stored_bytes bigint;
-- As last measured, of accounts that have such a quota.
alter table accounts add column stored_bytes bigint;
alter table accounts add column stored_bytes_at timestamptz(3);

-- Accounts whose runs no worker takes, and until when: `infinity` where an operator ends it.
create table account_holds (
  account_id text collate "C" not null references accounts (id),
  reason text not null check (reason in ('suspended', 'deleted', 'cost')),
  until timestamptz not null,
  primary key (account_id, reason)
);

-- What accounts with quotas have used of the day and the month that the row names.
create table quota_counts (
  account_id text collate "C" primary key references accounts (id),
  day date not null,
  runs integer not null,
  cost_usd_of_day numeric(20, 10) not null,
  cost_usd_of_month numeric(20, 10) not null
) with (fillfactor = 50);

-- The model goes as well when the fine-tune does: its account is being deleted.
alter table fine_tunes add column drops_model boolean not null default false;

-- What operators did to accounts. It outlives them.
create table operator_log (
  id text collate "C" primary key,
  created_at timestamptz(3) not null default now(),
  action text collate "C" not null,
  -- The account.
  object_id text collate "C" not null,
  before jsonb,
  after jsonb,
  address text,
  request_id text
);
create index operator_log_newest on operator_log (created_at desc, id desc);
