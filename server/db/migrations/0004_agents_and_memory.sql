-- Standing agents, and what agents and the roles of workflows remember.

create table agents (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  name text not null,
  description text,
  category text not null,
  role text not null,
  system_prompt text not null,
  -- Null takes the model of the workflow.
  model text collate "C",
  max_tokens integer,
  connectors text[] not null,
  capabilities text[] not null,
  status text not null check (status in ('active', 'paused')),
  memory_enabled boolean not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index agents_by_account on agents (account_id, created_at desc, id desc);
create index agents_by_category on agents (account_id, category, created_at desc, id desc);
alter table agents add primary key (account_id, id);

-- A scope is an agent, or a workflow and one of its roles. Memory goes with the agent or workflow.
create table memory_entries (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  agent_id text collate "C",
  workflow_id text collate "C",
  role text collate "C",
  content text not null check (char_length(content) between 1 and 2000),
  -- What the content is found by. Made by the service, so that every database folds letters alike.
  words text[] collate "C" not null,
  pinned boolean not null,
  source text not null check (source in ('user', 'agent')),
  -- No foreign key: a memory outlives the run that wrote it.
  run_id text collate "C",
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3),
  foreign key (account_id, agent_id) references agents (account_id, id) on delete cascade,
  foreign key (account_id, workflow_id) references workflows (account_id, id) on delete cascade,
  check ((agent_id is null) <> (workflow_id is null)),
  check ((workflow_id is null) = (role is null))
) with (fillfactor = 80);
create index memory_entries_by_agent
  on memory_entries (account_id, agent_id, created_at desc, id desc) where agent_id is not null;
create index memory_entries_by_role
  on memory_entries (account_id, workflow_id, role, created_at desc, id desc)
  where workflow_id is not null;
alter table memory_entries add primary key (account_id, id);
