-- People: users, the accounts they belong to, sessions, invitations. A user is nobody's row alone: what
-- is an account's is the membership.

create table users (
  id text collate "C" primary key,
  -- Lower case.
  email text collate "C" not null unique,
  name text not null,
  -- argon2id; null for one who signs in through OpenID Connect alone.
  password_hash text,
  oidc_issuer text collate "C",
  oidc_subject text collate "C",
  created_at timestamptz(3) not null default now(),
  last_signed_in_at timestamptz(3),
  check ((oidc_issuer is null) = (oidc_subject is null))
);
create unique index users_by_subject on users (oidc_issuer, oidc_subject)
  where oidc_subject is not null;

create table memberships (
  account_id text collate "C" not null references accounts (id),
  user_id text collate "C" not null references users (id),
  role text not null check (role in ('viewer', 'approver', 'member', 'admin')),
  created_at timestamptz(3) not null default now(),
  primary key (account_id, user_id)
);
create index memberships_by_user on memberships (user_id, account_id);

-- A session acts in one account; it ends with the membership or when its role changes.
create table sessions (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id),
  account_id text collate "C" not null,
  -- SHA-256 of the cookie's token.
  token_hash bytea not null unique,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  address text,
  user_agent text,
  foreign key (account_id, user_id) references memberships (account_id, user_id) on delete cascade
);
create index sessions_by_user on sessions (user_id, created_at desc, id desc);
create index sessions_by_end on sessions (expires_at);

create table invitations (
  account_id text collate "C" not null references accounts (id),
  id text collate "C" not null,
  email text collate "C" not null,
  role text not null check (role in ('viewer', 'approver', 'member', 'admin')),
  token_hash bytea not null unique,
  -- Id of the key or user; null for an operator.
  invited_by text collate "C",
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  primary key (account_id, id)
);
create index invitations_by_email on invitations (email) where accepted_at is null;
create index invitations_by_age on invitations (account_id, created_at desc, id desc);

-- The link of the first start, which makes the first admin: gone when it is used.
create table setup_links (
  token_hash bytea primary key,
  account_id text collate "C" not null references accounts (id),
  expires_at timestamptz(3) not null
);

-- Attempts to sign in, by e-mail address and by network address, within their window.
create table sign_in_attempts (
  -- SHA-256, so that what somebody typed is not kept.
  subject bytea primary key,
  attempts integer not null,
  window_ends_at timestamptz(3) not null
);
create index sign_in_attempts_by_end on sign_in_attempts (window_ends_at);

alter table api_keys drop constraint api_keys_role_check;
alter table api_keys add constraint api_keys_role_check
  check (role in ('viewer', 'approver', 'member', 'admin'));
