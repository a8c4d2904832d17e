-- Readable from 0012
-- How often a call went out. The ids of its events follow from it.
alter table tool_calls add column times_made smallint not null default 0;
