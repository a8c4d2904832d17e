-- Readable from 0012
-- Which database of its server an epoch is about: a dump that is restored beside its original has another.
-- Null until a process has looked.
alter table epochs add column database_oid bigint;
alter table epochs add column database_name text;
