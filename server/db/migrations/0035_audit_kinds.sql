-- Readable from 0012
-- Changes apart from activity, newest first. Everyday activity is most of the rows, so neither kind is found by
-- reading past the other.
create index audit_changes on audit (account_id, created_at desc, id desc)
  where action not in ('run.triggered', 'file.uploaded', 'file.written');
create index audit_activity on audit (account_id, created_at desc, id desc)
  where action in ('run.triggered', 'file.uploaded', 'file.written');
-- A key that triggers many runs, and an object, too.
create index audit_changes_by_actor on audit (account_id, actor_id, created_at desc, id desc)
  where action not in ('run.triggered', 'file.uploaded', 'file.written');
