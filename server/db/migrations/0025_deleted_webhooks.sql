-- Readable from 0012

-- Gone for its account, and off; the row stays until the background has deleted its deliveries, which may be millions.
alter table webhook_endpoints add column deleted_at timestamptz(3);
create index webhook_endpoints_deleted on webhook_endpoints (account_id, id) where deleted_at is not null;
