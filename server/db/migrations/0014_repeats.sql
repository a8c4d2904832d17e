-- Readable from 0012
-- How often a call went out. The ids of its events follow from it.
alter table tool_calls add column times_made smallint not null default 0;

-- Takes of a run that fell over twice, alone among such runs, whose worker did not outlive the trial; it
-- begins anew with the third take without progress.
alter table runs add column takes_alone smallint not null default 0;
