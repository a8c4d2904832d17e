-- Workflows, their runs and steps, the event log, and the jobs that wake runs.

create table workflows (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  name text not null,
  description text,
  status text not null default 'active' check (status in ('active', 'paused')),
  model text collate "C" not null,
  crew jsonb not null,
  human_in_the_loop jsonb not null,
  memory_enabled boolean not null,
  limits jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index workflows_by_account on workflows (account_id, updated_at desc, id desc);
alter table workflows add primary key (account_id, id);

-- What a run executes, frozen when it begins, and the tools that a model was offered. Content-addressed:
-- thousands of runs of one workflow share one row.
create table definitions (
  account_id text collate "C" not null references accounts (id),
  hash bytea not null,
  body jsonb not null,
  primary key (account_id, hash)
);

create table runs (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  -- No foreign key: a run stays readable after its workflow is deleted.
  workflow_id text collate "C" not null,
  status text not null default 'queued'
    check (status in ('queued', 'running', 'waiting_input', 'completed', 'failed')),
  -- The fence: taking a run increments it, every later write names it.
  attempt integer not null default 0,
  -- Takes since the run last moved; a run that only ever kills its worker is given up.
  takes_without_progress smallint not null default 0,
  input text not null,
  output text,
  error text,
  error_code text check (error_code in
    ('step_failed', 'agent_paused', 'wait_expired', 'cancelled', 'budget_exceeded', 'internal')),
  retry_of text collate "C",
  -- Labels of whoever triggered it, {key: value}; null where there are none.
  tags jsonb,
  definition_hash bytea,
  total_steps smallint not null default 0,
  tokens_in integer not null default 0,
  tokens_out integer not null default 0,
  cost_usd numeric(20, 10) not null default 0,
  -- Bytes that tools have answered to its agents, which are bounded.
  tool_bytes integer not null default 0,
  -- Number of the run's newest event.
  last_sequence integer not null default 0,
  -- What the run waits for; as text, so that a person sees the arguments as the model wrote them.
  pending json,
  waiting_since timestamptz(3),
  expires_at timestamptz(3),
  -- Time spent waiting so far, for people and for workers, which no limit counts.
  waited_ms bigint not null default 0,
  -- When a worker took it or let it go last: until then it is known what was work and what was waiting.
  counted_to timestamptz(3),
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  check ((status = 'completed') = (output is not null)),
  check ((status = 'failed') = (error is not null and error_code is not null)),
  check ((status in ('completed', 'failed')) = (finished_at is not null)),
  check ((status = 'waiting_input') = (pending is not null)),
  check ((pending is not null) = (waiting_since is not null))
) with (fillfactor = 85);
-- Serves the lists of a workflow with a status and without: the five of it are merged. Each index on
-- the status is written again whenever a run moves.
create index runs_by_workflow
  on runs (account_id, workflow_id, status, created_at desc, id desc);
-- The list of all runs of an account: the lists of its statuses are merged, as those of a workflow are.
create index runs_by_account on runs (account_id, status, created_at desc, id desc);
-- Written once, when a run fails.
create index runs_by_error on runs (account_id, error_code, created_at desc, id desc)
  where error_code is not null;
create index runs_waiting on runs (account_id, waiting_since, id) where status = 'waiting_input';
-- Over all accounts, by time.
create index runs_expiring on runs (expires_at) where expires_at is not null;
alter table runs add primary key (account_id, id);

-- What a run is found by besides its own columns, a row for each: `tag customer:acme`, `agent agt_…`, `word
-- timeout` (of its error and its tags), `cost 0.1` (it ended and cost at least that). Most runs have none.
-- Without a foreign key, as steps are.
create table run_marks (
  account_id text collate "C" not null,
  run_id text collate "C" not null,
  mark text collate "C" not null,
  -- The run's own.
  created_at timestamptz(3) not null
);
-- A run and its marks are joined by both the id and the time, so that either table can lead in the order of a
-- list. The time follows from the id; the planner, who does not know that, is told that it narrows nothing.
alter table runs alter column created_at set (n_distinct = 1);
alter table run_marks alter column created_at set (n_distinct = 1);
create index run_marks_found on run_marks (account_id, mark, created_at desc, run_id desc);
alter table run_marks add primary key (account_id, run_id, mark);

-- Steps and events have no foreign key: checking it took an eighth of PostgreSQL's time. They are only
-- written in the statement that changes their run, and deleted in the one that deletes it.
create table steps (
  account_id text collate "C" not null,
  run_id text collate "C" not null,
  position smallint not null,
  id text collate "C" not null,
  role text not null,
  model text collate "C" not null,
  agent_id text collate "C",
  -- The run whose finished step this one repeats without calling a model again.
  reused_from text collate "C",
  -- The input is not stored: it follows from the run's input and the earlier outputs.
  output text,
  error text,
  tokens_in integer not null default 0,
  tokens_out integer not null default 0,
  cost_usd numeric(20, 10) not null default 0,
  -- Model calls of this step that failed and were put off.
  tries smallint not null default 0,
  -- Turns that are stored in step_turns.
  turns smallint not null default 0,
  -- Memory entries that the agent was shown, as they were: [{id, content, pinned}].
  memory json,
  -- Of the turn that answered: the time of its model call, the provider's name of it, and the hash of the
  -- tools that it was offered (in definitions). Turns before it are in step_turns.
  duration_ms integer,
  request_id text,
  tools_hash bytea,
  started_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  primary key (account_id, run_id, position),
  check ((finished_at is not null) = (output is not null or error is not null))
) with (fillfactor = 90);

-- The model's messages of a step that uses tools; results are in tool_calls. A step of one turn has
-- none.
create table step_turns (
  account_id text collate "C" not null,
  run_id text collate "C" not null,
  step_position smallint not null,
  turn smallint not null,
  message json not null,
  -- With failed calls before it.
  tokens_in integer not null default 0,
  tokens_out integer not null default 0,
  cost_usd numeric(20, 10) not null default 0,
  duration_ms integer,
  request_id text,
  tools_hash bytea,
  primary key (account_id, run_id, step_position, turn),
  foreign key (account_id, run_id) references runs (account_id, id) on delete cascade
);

-- The ledger: what agents wanted to do and what became of it.
create table tool_calls (
  account_id text collate "C" not null,
  run_id text collate "C" not null,
  step_position smallint not null,
  turn smallint not null,
  -- Place within the turn.
  position smallint not null,
  id text collate "C" not null,
  -- The model's own id of the call, unique within the step.
  provider_call_id text not null,
  tool text not null,
  sensitive boolean not null,
  -- What the action and its connection were when it was asked for; null for tools of Muster itself.
  tool_version text collate "C",
  -- They changed after the agent asked.
  tool_changed boolean not null default false,
  -- What is done, as edited by a person; null when the model wrote no JSON object.
  input json,
  -- What the model wrote, when a person edited it.
  proposed_input json,
  status text not null check (status in
    ('proposed', 'approved', 'rejected', 'executing', 'succeeded', 'failed', 'unknown')),
  -- What the agent is told; null while the call is open.
  output text,
  decision text check (decision in
    ('approved', 'edited', 'rejected', 'answered', 'expired', 'refused')),
  -- Key of the person who decided.
  decided_by text collate "C",
  decided_at timestamptz(3),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  primary key (account_id, run_id, step_position, turn, position),
  foreign key (account_id, run_id) references runs (account_id, id) on delete cascade,
  check ((decision is null) = (decided_at is null)),
  check (output is not null or status not in ('rejected', 'succeeded', 'failed')),
  check (output is null or status not in ('proposed', 'approved', 'executing')),
  check (status <> 'executing' or started_at is not null)
) with (fillfactor = 80);

create table events (
  account_id text collate "C" not null,
  run_id text collate "C" not null,
  -- From 1, without gaps: it is counted on the run's row, under its lock.
  sequence integer not null,
  id text collate "C" not null,
  type text not null,
  data jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, run_id, sequence)
);

-- What wakes runs: a job exists exactly while its run is queued or running, one a run. It has no foreign
-- key for the same reason as steps: only the statement that moves its run writes and deletes it.
create table jobs (
  account_id text collate "C" not null,
  run_id text collate "C" not null,
  ready_at timestamptz(3) not null default now(),
  -- The run was at work before, or a worker has taken this job before: it goes first in its account.
  begun boolean not null default false,
  -- The process that works on the run; null while the job waits for one.
  worker text collate "C",
  -- The worker loses the job at this time unless it renews the lease. No index holds it, so that a
  -- renewal writes the row alone.
  lease_until timestamptz(3),
  primary key (account_id, run_id),
  check ((worker is null) = (lease_until is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
create index jobs_ready on jobs (account_id, begun, ready_at) where worker is null;
create index jobs_taken on jobs (worker, account_id) where worker is not null;

-- Accounts whose changes a process listens for at present, to pass them on to open streams: only theirs
-- are told. A crash empties it, and ends the streams as well.
create unlogged table account_watches (
  account_id text collate "C" primary key references accounts (id),
  until timestamptz(3) not null
) with (fillfactor = 50);

-- The processes that carry runs, as they say themselves every few seconds.
create unlogged table workers (
  id text collate "C" primary key,
  seen_at timestamptz(3) not null default now(),
  has_left boolean not null default false
) with (fillfactor = 50);
