-- Readable from 0012
-- What the last test or use of a connector found; all null for one that was only saved.
alter table connectors add column checked_at timestamptz(3);
alter table connectors add column failing_since timestamptz(3);
alter table connectors add column check_message text;
