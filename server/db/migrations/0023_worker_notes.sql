-- Readable from 0012

-- What a process that carries runs lets the others know; null from one of the version before.
alter table workers add column note jsonb;
