-- Readable from 0012
-- Workflows that the MCP server offers as tools.

-- {"name", "description"} of the tool; null for a workflow that is none.
alter table workflows add column expose_mcp jsonb;
create unique index workflows_exposed on workflows (account_id, ((expose_mcp ->> 'name') collate "C"))
  where expose_mcp is not null;
