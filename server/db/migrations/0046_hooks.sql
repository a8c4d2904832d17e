-- Readable from 0012
-- Inbound hooks: addresses to which other services send events that become runs, and what they sent.
create table hooks (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  name text not null,
  -- No foreign key: the workflow may be deleted, and then a delivery says so.
  workflow_id text collate "C" not null,
  version integer,
  scheme text not null
    check (scheme in ('standard_webhooks', 'github', 'stripe', 'slack', 'hmac_sha256', 'none')),
  -- Sealed: the random part of the address, and what signatures are checked with.
  address_key bytea not null,
  secret bytea,
  previous_secret bytea,
  previous_secret_expires_at timestamptz(3),
  signature_header text,
  event_id_header text,
  tolerance_seconds integer not null,
  filter text,
  input text,
  data jsonb,
  files jsonb not null,
  tags jsonb not null,
  status text not null check (status in ('active', 'paused')),
  -- Deliveries so far; the newest 1,000 are kept.
  delivery_count bigint not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((previous_secret is null) = (previous_secret_expires_at is null))
) with (fillfactor = 70);
create index hooks_by_account on hooks (account_id, created_at desc, id desc);
alter table hooks add primary key (account_id, id);

create table hook_deliveries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  hook_id text collate "C" not null,
  -- Of the hook, from 1; null for what was refused, of which fewer are kept.
  number bigint,
  event_id text,
  event_type text,
  headers jsonb not null,
  content_type text not null,
  -- As it was sent; empty for what was refused.
  body bytea not null,
  status text not null
    check (status in ('pending', 'started', 'filtered', 'failed', 'answered', 'refused')),
  why text,
  -- Reserved before the run is made, so that a repeat after a crash finds it.
  run_id text collate "C",
  -- How often the same event came again.
  repeats integer not null default 0,
  -- Attempts to route it.
  tries integer not null default 0,
  -- When it is due: no process routes it before this time.
  next_try_at timestamptz(3),
  received_at timestamptz(3) not null default now(),
  settled_at timestamptz(3),
  foreign key (account_id, hook_id) references hooks (account_id, id) on delete cascade,
  check ((status = 'pending') = (next_try_at is not null))
) with (fillfactor = 70);
create index hook_deliveries_by_hook
  on hook_deliveries (account_id, hook_id, received_at desc, id desc);
create index hook_deliveries_received on hook_deliveries (account_id, received_at);
create index hook_deliveries_by_number on hook_deliveries (account_id, hook_id, number);
create index hook_deliveries_due on hook_deliveries (next_try_at) where status = 'pending';
create index hook_deliveries_refused
  on hook_deliveries (account_id, hook_id, received_at) where status = 'refused';
alter table hook_deliveries add primary key (account_id, id);

-- Events that a hook has had in the last 72 hours: each becomes one delivery.
create table hook_events (
  account_id text collate "C" not null,
  hook_id text collate "C" not null,
  -- SHA-256 of the id of the event, or else of its body.
  event_key text collate "C" not null,
  delivery_id text collate "C" not null,
  seen_at timestamptz(3) not null default now(),
  foreign key (account_id, hook_id) references hooks (account_id, id) on delete cascade
);
create index hook_events_seen on hook_events (account_id, seen_at);
alter table hook_events add primary key (account_id, hook_id, event_key);
