-- Webhook endpoints and their deliveries. A delivery is written by the statement that changes the
-- run, so there is no run without its events and no event without its run.

create table webhook_endpoints (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  url text not null,
  description text,
  events text[] not null check (cardinality(events) > 0),
  -- No foreign key: the workflow may be deleted, the endpoint then receives nothing more.
  workflow_id text collate "C",
  active boolean not null default true,
  consecutive_failures integer not null default 0,
  disabled_at timestamptz(3),
  disabled_reason text,
  last_delivery_at timestamptz(3),
  last_delivery_status integer,
  -- AES-256-GCM. The previous one signs as well until it expires.
  secret bytea not null,
  previous_secret bytea,
  previous_secret_expires_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
) with (fillfactor = 50);
create index webhook_endpoints_by_account on webhook_endpoints (account_id, created_at desc, id desc);
alter table webhook_endpoints add primary key (account_id, id);

create table webhook_deliveries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  -- Null for a test event.
  run_id text collate "C",
  -- `data` of the body; the run's input and output are added when it is sent.
  snapshot jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  attempts jsonb not null default '[]',
  -- Attempts of the schedule, without those by hand.
  scheduled_attempts smallint not null default 0,
  -- Attempts that were asked for by hand and have not been made.
  manual_requests smallint not null default 0,
  next_attempt_at timestamptz(3) default now(),
  -- An attempt is in flight; it is taken for lost after this time.
  claimed_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  foreign key (account_id, endpoint_id) references webhook_endpoints (account_id, id)
    on delete cascade,
  foreign key (account_id, run_id) references runs (account_id, id) on delete cascade,
  check ((status = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 70);
create index webhook_deliveries_by_endpoint
  on webhook_deliveries (account_id, endpoint_id, created_at desc, id desc);
create index webhook_deliveries_due
  on webhook_deliveries (account_id, endpoint_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_claimed
  on webhook_deliveries (account_id, endpoint_id) where claimed_until is not null;
create index webhook_deliveries_by_run on webhook_deliveries (account_id, run_id);
alter table webhook_deliveries add primary key (account_id, id);

-- A TypeID, for rows that a statement makes by itself: a prefix and a UUIDv7 in Crockford's base32.
create function new_id(prefix text) returns text
language sql volatile as $$
  select prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', substr(bits, place, 5)::bit(5)::int + 1, 1), ''
    order by place)
  from (
    select '00' || right(
      (floor(extract(epoch from clock_timestamp()) * 1000)::bigint)::bit(64)::text, 48)
      || '0111' || substr(random, 1, 12) || '10' || substr(random, 13, 62) as bits
    from (select ('x' || replace(gen_random_uuid()::text, '-', ''))::bit(128)::text as whole) as uuid,
    -- Bits 49 to 52 and 65 to 66 of a random UUID are its version and variant.
    lateral (select left(whole, 48) || substr(whole, 53, 12) || right(whole, 62) as random) as free
  ) as made, generate_series(1, 126, 5) as place
$$;
