-- Readable from 0012
-- Rules of an account about what agents may do, in their order; and the rule that decided about a call.
alter table policies add column rules jsonb not null default '[]';
alter table tool_calls add column rule json;
