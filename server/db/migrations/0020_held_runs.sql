-- Readable from 0012

-- Why a run cannot go on by itself, and since when: {reason, message}. Null for those that can.
alter table runs
  add column held jsonb,
  add column held_since timestamptz;

-- Models that are tried in order while the provider of the first is not there.
alter table workflows add column fallbacks jsonb not null default '[]';
alter table agents add column fallbacks jsonb not null default '[]';

-- Which model answered, where it was not the step's own.
alter table step_turns add column model text;
