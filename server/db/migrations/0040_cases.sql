-- Readable from 0012
-- What people note about a request of a run: whose it is, and comments. A request without either has no row.
create table cases (
  account_id text collate "C" not null,
  pending_id text collate "C" not null,
  run_id text collate "C" not null,
  -- A user; null where it was given back.
  assignee_id text collate "C",
  assigned_at timestamptz(3) not null default now(),
  primary key (account_id, pending_id),
  foreign key (account_id, run_id) references runs (account_id, id) on delete cascade
);
create index cases_by_run on cases (account_id, run_id);

create table case_comments (
  account_id text collate "C" not null,
  id text collate "C" not null,
  pending_id text collate "C" not null,
  run_id text collate "C" not null,
  author_id text collate "C" not null,
  author_name text not null,
  text text not null,
  created_at timestamptz(3) not null default now(),
  primary key (account_id, id),
  foreign key (account_id, run_id) references runs (account_id, id) on delete cascade
);
create index case_comments_by_case on case_comments (account_id, pending_id, created_at, id);
create index case_comments_by_run on case_comments (account_id, run_id);

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('case', 'reminder', 'escalation', 'assignment', 'alert'));
