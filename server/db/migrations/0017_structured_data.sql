-- Readable from 0012
-- Structured input and output. Schemas and objects are `json`, which keeps the order of their keys; the
-- schema of a crew entry is kept as a text within the entry for the same reason.

alter table workflows add column input_schema json;
alter table agents add column output_schema json;

alter table runs add column data json;
alter table runs add column output_json json;
alter table runs drop constraint runs_error_code_check;
alter table runs add constraint runs_error_code_check check (error_code in
  ('step_failed', 'agent_paused', 'wait_expired', 'cancelled', 'budget_exceeded', 'internal',
   'output_invalid')) not valid;

alter table steps add column output_json json;
-- What was wrong with an answer that was sent back; null for a turn that asks for tools.
alter table step_turns add column problem text;
