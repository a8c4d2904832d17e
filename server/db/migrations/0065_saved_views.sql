-- Readable from 0012
-- Filters of the list of runs that an account saved under a name.
create table saved_views (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  name text collate "C" not null,
  filters json not null,
  created_by json not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create unique index saved_views_by_name on saved_views (account_id, name);
