-- Readable from 0012
-- `none`: each request is an event of its own.
alter table muster.hooks add column dedupe text not null default 'event' check (dedupe in ('event', 'none'));
