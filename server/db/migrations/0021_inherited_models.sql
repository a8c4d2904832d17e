-- Readable from 0012

-- The server's default model when a workflow last took it; null where it names its own. A workflow inherits as
-- long as its model is still that one: the version before, which knows nothing of it, ends that when it changes
-- the model. What it stores stays a model of the workflow's own.
alter table workflows
  add column inherited_model text,
  add column model_inherited boolean not null
    generated always as (inherited_model is not null and inherited_model = model) stored;
