-- Readable from 0012
-- Rules of standing agents about their calls, in their order. Those of crew entries stand in the crew.
alter table agents add column rules jsonb not null default '[]';
