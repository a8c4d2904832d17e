-- What was used, by day, kept apart from the runs: it stays when they are deleted.

-- Sums of whole UTC days. What is counted stands once for each way to ask for it: `dimension` is `day`,
-- `workflow`, `agent`, `model` or `tag:KEY`, `value` the day, the id, or '' for no agent.
create table usage_days (
  account_id text collate "C" not null references accounts (id),
  dimension text collate "C" not null,
  value text collate "C" not null,
  day date not null,
  completed bigint not null,
  failed bigint not null,
  cancelled bigint not null,
  steps bigint not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  cost_usd numeric(20, 10) not null
) with (fillfactor = 80);
-- For retention, here and below.
create index usage_days_by_age on usage_days (account_id, day);
alter table usage_days add primary key (account_id, dimension, value, day);

-- How often something took so long: of steps where the dimension is an agent or a model, else of runs.
create table usage_durations (
  account_id text collate "C" not null references accounts (id),
  dimension text collate "C" not null,
  value text collate "C" not null,
  day date not null,
  -- The highest power of 1.1 that the milliseconds reach.
  bucket smallint not null,
  count bigint not null
) with (fillfactor = 80);
create index usage_durations_by_age on usage_durations (account_id, day);
alter table usage_durations add primary key (account_id, dimension, value, day, bucket);

-- What statements have counted since the last fold into the days. They only ever add rows here, so those
-- that end runs of one workflow at the same moment do not wait for each other. It has no foreign key, as
-- steps and events have none.
create table usage_deltas (
  account_id text collate "C" not null,
  id bigint not null generated always as identity,
  day date not null,
  workflow_id text collate "C" not null,
  agent_id text collate "C",
  -- Null for runs that ended, whose steps have rows of their own.
  model text collate "C",
  tags jsonb,
  completed integer not null,
  failed integer not null,
  cancelled integer not null,
  steps integer not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  cost_usd numeric(20, 10) not null,
  -- Of each duration of these runs or steps.
  buckets smallint[],
  primary key (account_id, id)
) with (autovacuum_vacuum_scale_factor = 0.05);
