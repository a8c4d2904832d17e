-- Readable from 0012
-- Logins at MCP servers by OAuth, of accounts and of people.

-- Whose login calls use; null for a server that needs none.
alter table connectors add column credentials text check (credentials in ('account', 'person'));
-- What the server said when it demanded a login, {"scope", "resource_metadata_url"}; null while it demands none.
alter table connectors add column oauth jsonb;
-- AES-256-GCM: the authorization server and Muster's client there, of the last login.
alter table connectors add column registration bytea;
-- The account must log in, or its login has ended.
alter table connectors add column needs_login boolean not null default false;

create table connector_logins (
  account_id text collate "C" not null references accounts (id),
  -- The connector's id for the account's login; with a dot and the user's id for a person's.
  id text collate "C" not null,
  connector_id text collate "C" not null,
  user_id text collate "C",
  -- AES-256-GCM: the tokens, the authorization server and the client that they were issued to.
  secret bytea not null,
  -- Another one with each login and each refresh.
  version text collate "C" not null,
  expires_at timestamptz(3),
  -- When the token is refreshed; null if it cannot be, or the login has ended.
  refresh_at timestamptz(3),
  claimed_until timestamptz(3),
  -- The login has ended, and why.
  needs_login_since timestamptz(3),
  why text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, id)
);
create index connector_logins_due on connector_logins (account_id, refresh_at) where refresh_at is not null;
create index connector_logins_ended on connector_logins (account_id, needs_login_since)
  where needs_login_since is not null;
