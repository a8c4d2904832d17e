-- Readable from 0012
-- What a running run still waits for, while it makes calls of the same turn that were approved.
alter table runs add column open_case json;
