-- Readable from 0012

-- Model calls whose model had no price when they were made, so that their cost counts as 0.
alter table runs add column calls_without_price integer not null default 0;
alter table steps add column calls_without_price integer not null default 0;
alter table step_turns add column calls_without_price integer not null default 0;
alter table usage_deltas add column calls_without_price integer not null default 0;
alter table usage_days add column calls_without_price bigint not null default 0;
