-- Readable from 0012
-- Conversations with workflows. Each message of a person is a turn, and each turn is a run.
-- How runs of a workflow's threads see earlier turns, {context, max_tokens, summary_model}; null if it takes none.
alter table workflows add column thread json;

alter table runs add column thread_id text collate "C";
alter table runs add column turn integer;
-- What the first agent is sent before the input: the earlier turns of the thread.
alter table runs add column context text;
alter table usage_deltas add column thread_id text collate "C";

create table threads (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  workflow_id text collate "C" not null,
  -- The version of all turns; null for the live one of each.
  version integer,
  key text collate "C",
  title text,
  tags jsonb not null default '{}',
  status text not null default 'open' check (status in ('open', 'closed')),
  turns integer not null default 0,
  last_message_at timestamptz(3),
  -- Of the turns that have ended, and of summaries.
  cost_usd numeric not null default 0,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  -- Hashes of its tags, and of the words of its title, key and first message, as in run_words.
  words bigint[] not null default '{}',
  created_by text collate "C" not null,
  creator_name text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id)
) with (fillfactor = 70);
create unique index threads_by_key on threads (account_id, key, workflow_id) where key is not null;
-- For lists. All statuses merge a page of each.
create index threads_by_status on threads (account_id, status, updated_at desc, id desc);
create index threads_of_workflow on threads (account_id, workflow_id, status, updated_at desc, id desc);
-- For retention.
create index threads_by_age on threads (updated_at);
create index threads_found on threads using gin (words);
alter table threads alter column words set statistics 1000;

create table thread_messages (
  account_id text collate "C" not null,
  id text collate "C" not null,
  thread_id text collate "C" not null,
  turn integer not null,
  role text not null check (role in ('user', 'assistant')),
  text text not null default '',
  data json,
  -- Files as [{id, name}].
  files jsonb not null default '[]',
  -- Reserved for the run of the turn.
  run_id text collate "C" not null,
  status text not null check (status in ('queued', 'running', 'answered', 'failed', 'cancelled', 'refused')),
  why text,
  author_id text collate "C",
  author_name text,
  -- Failed tries to begin the turn.
  tries integer not null default 0,
  -- Who stopped the turn; null if no one did.
  stopped_by jsonb,
  -- The run has ended, and its end is to be recorded.
  run_ended boolean not null default false,
  -- Set on the first open message of a thread alone, so that one turn is in progress at a time.
  due_at timestamptz,
  claimed_until timestamptz,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  primary key (account_id, id),
  unique (account_id, thread_id, turn, role),
  foreign key (account_id, thread_id) references threads (account_id, id) on delete cascade,
  check (due_at is null or status in ('queued', 'running'))
) with (fillfactor = 70);
create index thread_messages_due on thread_messages (account_id, due_at) where due_at is not null;
create index thread_messages_open on thread_messages (account_id, thread_id, turn)
  where status in ('queued', 'running');

create table thread_summaries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  thread_id text collate "C" not null,
  -- The last turn that it covers.
  through_turn integer not null,
  text text not null,
  tokens_before integer not null,
  tokens_after integer not null,
  model text not null,
  cost_usd numeric not null,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  unique (account_id, thread_id, through_turn),
  foreign key (account_id, thread_id) references threads (account_id, id) on delete cascade
);

-- Messages are activity: they are as many as runs.
drop index audit_changes;
create index audit_changes on audit (account_id, created_at desc, id desc)
  where action not in ('run.triggered', 'file.uploaded', 'file.written', 'tool_call.claimed', 'tool_call.answered', 'thread.message_sent');
drop index audit_activity;
create index audit_activity on audit (account_id, created_at desc, id desc)
  where action in ('run.triggered', 'file.uploaded', 'file.written', 'tool_call.claimed', 'tool_call.answered', 'thread.message_sent');
drop index audit_changes_by_actor;
create index audit_changes_by_actor on audit (account_id, actor_id, created_at desc, id desc)
  where action not in ('run.triggered', 'file.uploaded', 'file.written', 'tool_call.claimed', 'tool_call.answered', 'thread.message_sent');
