-- Readable from 0012
-- Runs with warnings get a search term (engine/journal/search-terms.ts); this one is for those that there are.
insert into run_marks (account_id, run_id, created_at, mark)
select account_id, id, created_at, 'warning' from runs
where jsonb_array_length(warnings) > 0
on conflict do nothing;
