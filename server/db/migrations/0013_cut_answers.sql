-- Readable from 0012

-- Why the model stopped in the turn that ended the step: stop, length, other. Null for earlier steps.
alter table steps add column finish_reason text collate "C";

-- What is worth knowing about the run although it did not fail: [{code, message, step_order}]. Null for none.
alter table runs add column warnings jsonb;
