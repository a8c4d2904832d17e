-- Readable from 0012
-- Schedules that pause themselves after failed runs.
create index schedules_pausing on schedules (account_id, id)
  where status = 'active' and pause_after_failures is not null;
