-- Readable from 0012
-- The session at the OpenID Connect provider that a session began with: its logout there ends the session here.
alter table sessions add column oidc_sid text collate "C";
create index sessions_by_oidc_sid on sessions (oidc_sid) where oidc_sid is not null;

-- Removing the last membership frees the identity; users who were removed before are freed here.
update users set oidc_issuer = null, oidc_subject = null
where oidc_subject is not null
  and not exists (select from memberships where memberships.user_id = users.id);
