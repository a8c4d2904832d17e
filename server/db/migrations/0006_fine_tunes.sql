-- Fine-tuning jobs at outside providers, and the training sets of those that are being made.

create table fine_tunes (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  name text not null,
  provider text collate "C" not null,
  provider_label text not null,
  base_model text collate "C" not null,
  base_model_label text not null,
  suffix text,
  status text not null default 'queued'
    check (status in ('queued', 'validating', 'running', 'succeeded', 'failed', 'cancelled')),
  provider_status text,
  -- How far the making of the job at the provider has come. `creating` is committed before the create
  -- is sent, so a job in it may exist there or not: it is looked for and never sent again.
  stage text not null default 'uploading' check (stage in ('uploading', 'creating', 'created')),
  -- The fence of `uploading` and `creating`: whoever takes them over raises it.
  attempt integer not null default 0,
  create_sent_at timestamptz(3),
  source text not null check (source in ('upload', 'runs')),
  -- No foreign key: the workflow may be deleted.
  source_workflow_id text collate "C",
  source_role text,
  example_count integer not null,
  training_bytes integer not null,
  hyperparameters jsonb not null,
  provider_file_id text,
  provider_job_id text,
  fine_tuned_model text collate "C",
  trained_tokens bigint,
  -- Null where it is not known.
  cost_usd numeric(20, 10) default 0,
  -- USD per 1,000,000 tokens; null where they are not public.
  inference_rate_in numeric(20, 10),
  inference_rate_out numeric(20, 10),
  training_rate numeric(20, 10),
  error text,
  -- The provider's event log as it was last read.
  events jsonb not null default '[]',
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  last_synced_at timestamptz(3),
  -- When the provider was last asked for the job, and for its events, whether it answered or not.
  polled_at timestamptz(3),
  events_polled_at timestamptz(3),
  -- When the background looks at the job; null when nothing is left to do.
  next_sync_at timestamptz(3) default now() + interval '15 seconds',
  -- Gone for its account; the row stays until the provider has stopped the job and dropped the file.
  deleted_at timestamptz(3),
  check ((status = 'succeeded') = (fine_tuned_model is not null)),
  check ((status = 'failed') = (error is not null)),
  check ((status in ('succeeded', 'failed', 'cancelled')) = (finished_at is not null))
) with (fillfactor = 80);
create index fine_tunes_by_account on fine_tunes (account_id, created_at desc, id desc);
create index fine_tunes_by_model on fine_tunes (account_id, fine_tuned_model)
  where fine_tuned_model is not null;
-- Over all accounts, by time.
create index fine_tunes_due on fine_tunes (next_sync_at) where next_sync_at is not null;
alter table fine_tunes add primary key (account_id, id);

-- The training set, gzip of JSONL, until the job exists at the provider or never will.
create table fine_tune_datasets (
  account_id text collate "C" not null,
  fine_tune_id text collate "C" not null,
  -- Compressed already.
  body bytea not null,
  primary key (account_id, fine_tune_id),
  foreign key (account_id, fine_tune_id) references fine_tunes (account_id, id) on delete cascade
);
alter table fine_tune_datasets alter column body set storage external;
