-- Readable from 0012
-- Keys of accounts for built-in model providers, and compatible servers of their own.
create table model_providers (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  label text,
  -- AES-256-GCM; null for a server that needs no key.
  api_key bytea,
  -- Another one with each change.
  version text collate "C" not null,
  -- Null for the usual address of a built-in provider.
  base_url text,
  -- Of a compatible server: [{id, label, context_window, price_in, price_out, structured_output, input_types}].
  models jsonb not null default '[]',
  -- What its last test or use found; all null where there was none.
  checked_at timestamptz(3),
  failing_since timestamptz(3),
  check_message text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id)
);
