-- Readable from 0012
-- Budgets of a thread.
alter table budgets drop constraint budgets_scope_check;
alter table budgets add constraint budgets_scope_check
  check (scope in ('account', 'workflow', 'agent', 'thread', 'tag'));
