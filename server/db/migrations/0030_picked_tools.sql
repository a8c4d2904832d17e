-- Readable from 0012
-- Which tools of an MCP server an admin picked, {"only": [...]} or {"except": [...]}; null for all.
alter table connectors add column picked jsonb;
