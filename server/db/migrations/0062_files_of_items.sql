-- Readable from 0012

-- Name of an item's first file when the batch was made; null for none.
alter table batch_items add column file text;
