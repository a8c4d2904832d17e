-- Readable from 0012

-- The run that a fork continues, and the step that it begins at.
alter table runs
  add column forked_from text collate "C",
  add column forked_step smallint;
-- As `runs_by_retried`: written with a fork alone.
create index runs_by_forked on runs (account_id, forked_from, created_at desc, id desc)
  where forked_from is not null;
-- True where the output was given with the fork, and is not what the agent wrote; else null.
alter table steps add column output_given boolean;
