-- Tenants, their keys, and the stored answers of idempotent requests.
--
-- Here and in all that follows the account comes first in every key, so that the tables can be
-- distributed by it: no row refers to another account's. Indexes without it serve what looks over all
-- accounts, and look-ups that come before the account is known.
--
-- The key of a table that has such indexes is made last. Where a table has no statistics yet, indexes
-- that begin alike look alike, the planner takes the newest of them, and keeps to it for long.

-- One row, which the first start seals: who cannot open it has another MUSTER_SECRET_KEY.
create table secret_check (
  is_only boolean primary key default true check (is_only),
  sealed bytea not null
);

create table accounts (
  id text collate "C" primary key,
  name text not null,
  created_at timestamptz(3) not null default now()
);

create table api_keys (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  name text not null,
  role text not null check (role in ('viewer', 'member', 'admin')),
  -- What a person may see of a key again.
  prefix text not null,
  -- SHA-256 of the whole key: the key has 238 bits of entropy, so no salt or stretching is needed.
  hash bytea not null unique,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  primary key (account_id, id)
);
create index api_keys_by_account on api_keys (account_id, created_at desc, id desc);

-- A row is made before the request runs and gets the answer afterwards. `reserved` is the UUID of
-- the resource that the request may make: a repeat after a crash makes the same one, not a second.
create table idempotency_keys (
  account_id text collate "C" not null,
  key text collate "C" not null,
  route text collate "C" not null,
  body_hash bytea not null,
  reserved uuid not null,
  locked_at timestamptz(3) not null default now(),
  status smallint,
  -- AES-256-GCM when the answer holds a secret, else plain UTF-8.
  answer bytea,
  encrypted boolean not null default false,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, key, route)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
