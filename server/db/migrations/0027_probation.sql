-- Readable from 0012
-- Suspects of crashing their worker that were on probation with the run when it was last taken.
alter table runs add column probation_size smallint;
