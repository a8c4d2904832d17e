-- What an account connected: credentials of built-in connectors, and MCP servers with the tools that
-- an admin accepted.

create table connectors (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  kind text not null check (kind in ('builtin', 'mcp')),
  -- AES-256-GCM: the credentials of a built-in, the address and headers of an MCP server.
  secret bytea not null,
  -- Another one with each change of the secret.
  version text collate "C" not null,
  -- The rest is of MCP servers.
  url text,
  header_names text[] not null default '{}',
  safe_tools text[] not null default '{}',
  -- As accepted: [{name, description, input_schema, hash}].
  tools jsonb not null default '[]',
  -- Those of them that were different or gone when the server was last asked.
  changed_tools text[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  check ((kind = 'mcp') = (url is not null))
);
