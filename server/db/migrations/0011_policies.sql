-- What an account's admins decided for all of its workflows; an account without a row has the defaults.

create table policies (
  account_id text collate "C" primary key references accounts (id),
  approvals_floor text not null default 'none' check (approvals_floor in ('none', 'sensitive', 'all')),
  four_eyes boolean not null default false,
  require_pending_id boolean not null default false,
  -- Null means any.
  web_fetch_hosts text[],
  sensitive_actions text[] not null default '{}',
  -- Null means no limit.
  mails_a_day integer,
  updated_at timestamptz(3) not null default now()
);
