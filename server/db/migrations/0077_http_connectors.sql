-- Readable from 0012
-- HTTP APIs as connectors, described by an admin (http) or by an OpenAPI document (openapi).
alter table connectors drop constraint connectors_kind_check;
alter table connectors add constraint connectors_kind_check
  check (kind in ('builtin', 'mcp', 'http', 'openapi'));
alter table connectors drop constraint connectors_check;
alter table connectors add constraint connectors_check check ((kind = 'builtin') = (url is null));

-- Display name; null for the id.
alter table connectors add column label text;
-- What is not secret of an HTTP API: base address, kind of login, title of its document.
alter table connectors add column settings jsonb;
-- How the document differs from the accepted one, when it was last read.
alter table connectors add column changes jsonb not null default '[]';
-- When a document with an address is read again; null for all others.
alter table connectors add column read_again_at timestamptz(3);
create index connectors_to_read on connectors (read_again_at) where read_again_at is not null;
