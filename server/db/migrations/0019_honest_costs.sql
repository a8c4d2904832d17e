-- Readable from 0012

-- Tokens that the provider bills at other prices, all of them parts of tokens_in and tokens_out: read from
-- its cache, written to its cache, spent on reasoning. And calls that may have cost something, but whose
-- counts never arrived.
alter table runs
  add column tokens_cached integer not null default 0,
  add column tokens_cache_written integer not null default 0,
  add column tokens_reasoning integer not null default 0,
  add column calls_without_usage integer not null default 0;

alter table steps
  add column tokens_cached integer not null default 0,
  add column tokens_cache_written integer not null default 0,
  add column tokens_reasoning integer not null default 0,
  add column calls_without_usage integer not null default 0;

alter table step_turns
  add column tokens_cached integer not null default 0,
  add column tokens_cache_written integer not null default 0,
  add column tokens_reasoning integer not null default 0,
  add column calls_without_usage integer not null default 0;
