-- Readable from 0012
-- Longest silence of an account's model provider in seconds; null for the default.
alter table model_providers add column timeout_seconds double precision;
