-- Readable from 0012
-- Where people of an account are told what waits for them: by email, or in Slack.
create table channels (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  name text not null,
  kind text not null check (kind in ('email', 'slack')),
  -- Null for all workflows.
  workflow_ids text[],
  -- Email addresses.
  recipients text[] not null default '{}',
  slack_channel text,
  -- AES-256-GCM, of JSON: the key of the links in its messages, and Slack's token and signing secret.
  secret bytea not null,
  has_signing_secret boolean not null default false,
  -- Another one with each change of what its state depends on.
  version text collate "C" not null,
  active boolean not null default true,
  -- Cases that began to wait earlier are not announced.
  active_since timestamptz(3) not null default now(),
  checked_at timestamptz(3),
  failing_since timestamptz(3),
  check_message text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  check ((kind = 'slack') = (slack_channel is not null))
);

-- A message to one recipient of a channel.
create table notifications (
  account_id text collate "C" not null,
  id text collate "C" not null,
  channel_id text collate "C" not null,
  kind text not null check (kind in ('case', 'reminder', 'escalation', 'alert')),
  -- Which message it is: unique in its channel.
  key text collate "C" not null,
  -- The case; null for an alert about no run.
  run_id text collate "C",
  pending_id text collate "C",
  call_id text collate "C",
  -- An email address, or a Slack channel.
  recipient text not null,
  -- Of an alert: {title, text, path}.
  body jsonb,
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed', 'dropped')),
  tries smallint not null default 0,
  -- When there is something to send next; null where there is nothing.
  next_attempt_at timestamptz(3) default now(),
  -- A process is sending it; free again after this time.
  claimed_until timestamptz(3),
  -- Why the last try failed.
  error text,
  sent_at timestamptz(3),
  -- Where a Slack message is: {channel, ts}.
  place jsonb,
  -- Its case still waits for an answer.
  is_open boolean not null default false,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, channel_id) references channels (account_id, id) on delete cascade,
  foreign key (account_id, run_id) references runs (account_id, id) on delete cascade
);
create unique index notifications_by_key on notifications (account_id, channel_id, key);
create index notifications_by_case on notifications (account_id, pending_id);
create index notifications_by_run on notifications (account_id, run_id);
create index notifications_due on notifications (account_id, next_attempt_at)
  where next_attempt_at is not null;
create index notifications_open on notifications (account_id, run_id) where is_open;
create index notifications_by_time on notifications (account_id, created_at);
