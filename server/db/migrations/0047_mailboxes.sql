-- Readable from 0012
-- IMAP mailboxes whose new messages start runs.
create table mailboxes (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  name text not null,
  host text not null,
  port integer not null,
  username text not null,
  -- AES-256-GCM: the password.
  secret bytea not null,
  -- Another one with each change of what its state depends on.
  version text collate "C" not null,
  folder text not null,
  workflow_id text collate "C" not null,
  -- Addresses, or domains that begin with @; null for all.
  senders text[],
  subject_contains text,
  poll_seconds integer not null,
  active boolean not null default true,
  -- Messages that arrived earlier start nothing.
  starts_at timestamptz(3) not null default now(),
  -- How far the folder was read; another UIDVALIDITY means that its numbers are others.
  uid_validity bigint,
  last_uid bigint not null default 0,
  next_poll_at timestamptz(3) not null default now(),
  claimed_until timestamptz(3),
  checked_at timestamptz(3),
  failing_since timestamptz(3),
  check_message text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create index mailboxes_to_poll on mailboxes (next_poll_at) where active;

create table mailbox_messages (
  account_id text collate "C" not null,
  id text collate "C" not null,
  mailbox_id text collate "C" not null,
  -- Its Message-ID, or a hash of the message where it has none.
  message_id text collate "C" not null,
  uid bigint not null,
  sender text not null,
  subject text not null,
  status text not null check (status in ('pending', 'started', 'ignored', 'failed')),
  why text,
  -- Reserved before the run is made, so that a repeat after a crash finds it.
  run_id text collate "C" not null,
  received_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, mailbox_id) references mailboxes (account_id, id) on delete cascade
);
create unique index mailbox_messages_once on mailbox_messages (account_id, mailbox_id, message_id);
create index mailbox_messages_by_mailbox
  on mailbox_messages (account_id, mailbox_id, created_at desc, id desc);
create index mailbox_messages_by_time on mailbox_messages (account_id, created_at);
