-- Readable from 0012
-- Whether a process that executes runs is there.

-- When the server was started on which the process holds its lock; null if it holds none, and its leases alone tell
-- whether it is there. Of the version before, too.
alter table workers add column server_started_at timestamptz;
