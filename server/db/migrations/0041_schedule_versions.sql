-- Readable from 0012
-- The version of the workflow that a schedule runs; null for the live one.
alter table schedules add column version integer;
