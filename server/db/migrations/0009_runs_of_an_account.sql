-- The list of all runs of an account: the lists of its statuses are merged, as those of a workflow are.
create index runs_by_account on runs (account_id, status, created_at desc, id desc);
-- Written once, when a run fails.
create index runs_by_error on runs (account_id, error_code, created_at desc, id desc)
  where error_code is not null;
