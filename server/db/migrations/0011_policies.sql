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

-- Who triggered a run, with the name of that time; and who triggered the runs that it retries.
alter table runs add column triggered_by text collate "C";
alter table runs add column triggerer_name text;
alter table runs add column earlier_triggerers text[];

-- Whose approvals an action took, where one was not enough: [{id, name, reason, at}].
alter table tool_calls add column approvals json;

-- The request of a run that somebody who may answer was shown last. An answer that names none is refused
-- where it was another one than the one that waits.
create table shown_requests (
  account_id text collate "C" not null,
  run_id text collate "C" not null,
  -- A key or user.
  actor_id text collate "C" not null,
  pending_id text collate "C" not null,
  primary key (account_id, run_id, actor_id),
  foreign key (account_id, run_id) references runs (account_id, id) on delete cascade
);
