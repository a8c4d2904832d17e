-- Readable from 0012
-- Claims and results of callers' tools are activity: with many workers they are most of the rows.
drop index audit_changes;
create index audit_changes on audit (account_id, created_at desc, id desc)
  where action not in ('run.triggered', 'file.uploaded', 'file.written', 'tool_call.claimed', 'tool_call.answered');
drop index audit_activity;
create index audit_activity on audit (account_id, created_at desc, id desc)
  where action in ('run.triggered', 'file.uploaded', 'file.written', 'tool_call.claimed', 'tool_call.answered');
drop index audit_changes_by_actor;
create index audit_changes_by_actor on audit (account_id, actor_id, created_at desc, id desc)
  where action not in ('run.triggered', 'file.uploaded', 'file.written', 'tool_call.claimed', 'tool_call.answered');
