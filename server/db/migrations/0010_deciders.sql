-- Who decided a call is kept with the name that they had, and with the reason that they gave.
alter table tool_calls add column decider_name text;
alter table tool_calls add column reason text;
