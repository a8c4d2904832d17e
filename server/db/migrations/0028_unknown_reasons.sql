-- Readable from 0012
-- Why the outcome of a call is unknown, in the words of the other side where it said any.
alter table tool_calls add column unknown_reason text;
