-- Readable from 0012

-- Whether an item's run completed with warnings, and how many of its calls had no price; and both for the whole batch.
alter table batch_items
  add column has_warnings boolean not null default false,
  add column calls_without_price integer not null default 0;
alter table batches
  add column completed_with_warnings integer not null default 0,
  add column calls_without_price integer not null default 0;
