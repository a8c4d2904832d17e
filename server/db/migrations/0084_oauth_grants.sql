-- Readable from 0012
-- Programs that act for a person: clients that registered themselves, and what people granted to clients.

create table oauth_clients (
  id text collate "C" primary key,
  -- What the client calls itself.
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz(3) not null default now(),
  -- When a person first gave it access; null for an unused client.
  used_at timestamptz(3),
  expires_at timestamptz(3) not null
);
create index oauth_clients_unused on oauth_clients (created_at desc, id desc) where used_at is null;
create index oauth_clients_by_end on oauth_clients (expires_at);

-- A grant ends with its row, and with the membership.
create table oauth_grants (
  account_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C" not null,
  -- The address of a client's document, or the id of a registered client.
  client_id text collate "C" not null,
  client_name text not null,
  client_host text not null,
  redirect_uri text not null,
  -- The address that its access tokens are for.
  resource text not null,
  scopes text[] not null,
  -- SHA-256 of the code; it stays after the exchange, so that a second use is noticed.
  code_hash bytea not null unique,
  -- S256 of the client's code verifier.
  code_challenge text not null,
  -- SHA-256 of the current access token; null until the code is exchanged.
  access_hash bytea unique,
  access_scopes text[],
  access_expires_at timestamptz(3),
  -- SHA-256 of what all refresh tokens of the grant share, and of the current one: another one was used before.
  refresh_family_hash bytea unique,
  refresh_hash bytea,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  -- Until the code is exchanged, the end of the code.
  expires_at timestamptz(3) not null,
  primary key (account_id, id),
  foreign key (account_id, user_id) references memberships (account_id, user_id) on delete cascade
);
create index oauth_grants_by_user on oauth_grants (account_id, user_id, created_at desc, id desc);
create index oauth_grants_by_end on oauth_grants (expires_at);
