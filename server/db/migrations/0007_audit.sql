-- Who changed what: written in the transaction of the change, never updated, deleted by age alone.

create table audit (
  account_id text collate "C" not null,
  id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  actor_type text not null check (actor_type in ('key', 'user', 'system')),
  -- Null for the system.
  actor_id text collate "C",
  -- As it was then: keys and people may be gone.
  actor_name text not null,
  action text collate "C" not null,
  object_type text not null,
  object_id text collate "C" not null,
  -- The fields that changed, without secrets; null where there was, or is, no such object.
  before jsonb,
  after jsonb,
  address text,
  request_id text,
  primary key (account_id, id)
);
create index audit_newest on audit (account_id, created_at desc, id desc);
create index audit_by_object on audit (account_id, object_id, created_at desc, id desc);
create index audit_by_actor on audit (account_id, actor_id, created_at desc, id desc);
-- Triggers are most of the rows and never far to seek.
create index audit_by_action on audit (account_id, action, created_at desc, id desc)
  where action <> 'run.triggered';
