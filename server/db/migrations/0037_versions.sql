-- Readable from 0012

-- Every definition that a workflow or an agent has had, and drafts. A row never changes, but for the time at which it
-- last went live. The live version of a resource that was last changed by an older process has no row yet: the next
-- change adds it.
create table versions (
  account_id text collate "C" not null references accounts (id),
  -- A workflow or an agent, which deletes its versions with itself.
  object_id text collate "C" not null,
  version integer not null,
  -- As the API shows it; json, because models answer in the order of their schema's keys.
  definition json not null,
  -- The version that was live when this one was made, and the fields that differ from it.
  base_version integer,
  changed text[] not null,
  note text,
  -- Null where it is not known who made it.
  author_id text collate "C",
  author_name text,
  -- Bytes of this definition and of all before it, so that the oldest can be deleted past a bound.
  total_bytes bigint not null,
  created_at timestamptz(3) not null default now(),
  -- Null for a draft.
  published_at timestamptz(3),
  primary key (account_id, object_id, version)
);

-- The live version, and the newest one, which may be a draft.
alter table workflows
  add column version integer not null default 1,
  add column last_version integer not null default 1;
alter table agents
  add column version integer not null default 1,
  add column last_version integer not null default 1;

-- Null for a run that has not begun, and for one that began before there were versions.
alter table runs add column workflow_version integer;
alter table steps add column agent_version integer;
