-- Readable from 0012

-- Since when the provider answers that it does not know the job, and how often it has; null and 0 once it tells
-- of the job again.
alter table fine_tunes
  add column missing_since timestamptz(3),
  add column missing_answers integer not null default 0;
