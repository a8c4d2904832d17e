-- Readable from 0012

-- The retries of a run, newest first. Written with a retry alone: other runs are not in it, and what it is of
-- never changes.
create index runs_by_retried on runs (account_id, retry_of, created_at desc, id desc)
  where retry_of is not null;
