-- Readable from 0012
-- Calls that people decided, by action: what rules are proposed from, and tried against.
create index tool_calls_decided on tool_calls (account_id, tool, decided_at desc)
  where decision in ('approved', 'edited', 'rejected', 'expired');
