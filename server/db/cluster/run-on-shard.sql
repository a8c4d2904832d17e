-- Runs a statement on the node of the account `home`, on the tables of its shard there. Citus sends a call of this
-- function to that node; server/db/cluster/run-on-shard.ts says why. The other accounts have to be in that shard.
create or replace function muster.at_home(home text, others text[], name text, statement text, given text, answers boolean)
returns setof json
language plpgsql
set search_path = muster, pg_catalog
set enable_seqscan = off
set random_page_cost = 1.1
set jit = off
-- One plan for each text: custom plans would be made anew for the first values.
set plan_cache_mode = force_generic_plan
set citus.enable_manual_changes_to_shards = on
as $$
declare
  place bigint := get_shard_id_for_distribution_column('muster.runs', home);
  prepared text := name || '_' || place;
  found record;
  answer record;
begin
  -- As every write through Citus does (5 is a share lock): a move of the shard waits for this transaction, and a
  -- statement that waited for a move sees here that the rows are elsewhere.
  perform lock_shard_metadata(5, array[place]);
  if not exists (select from pg_dist_placement as placement
                 join pg_dist_local_group as own on own.groupid = placement.groupid
                 where placement.shardid = place) then
    raise exception using errcode = 'serialization_failure',
      message = format('Cannot run a statement of the account %s here: its rows are on another node', home);
  end if;
  if exists (select from unnest(others) as other
             where get_shard_id_for_distribution_column('muster.runs', other) <> place) then
    raise exception using errcode = '22MUS',
      message = format('Cannot run a statement of %s accounts here: they are not in one shard', cardinality(others) + 1);
  end if;
  -- A setting of the session: to look into pg_prepared_statements would copy the texts of all.
  if current_setting('muster.' || prepared, true) is distinct from 'yes' then
    for found in
      select distinct on (relname) relname as table, relname || '_' || get_shard_id_for_distribution_column(class.oid, home) as shard
      from regexp_matches(statement, '\m(?:from|join|update|into|using)\s+"?([a-z_]+)', 'g') as word
      join pg_class as class on relname = word[1] and relnamespace = 'muster'::regnamespace
      join pg_dist_partition on logicalrelid = class.oid and (partmethod = 'h' or repmodel = 't')
    loop
      statement := regexp_replace(statement,
        '\m(from|join|update|into|using)(\s+)"?' || found.table || '\M"?(?=\s+as\s)', '\1\2' || found.shard, 'g');
      statement := regexp_replace(statement,
        '\m(from|join|update|into|using)(\s+)"?' || found.table || '\M"?(?!\.)',
        '\1\2' || found.shard || ' as ' || found.table, 'g');
    end loop;
    begin
      execute format('prepare %I as %s', prepared, statement);
    exception when duplicate_prepared_statement then
      null; -- The transaction that prepared it was rolled back, which takes back the setting alone.
    end;
    perform set_config('muster.' || prepared, 'yes', false);
  end if;
  if not answers then
    execute format('execute %I %s', prepared, given);
    return;
  end if;
  for answer in execute format('execute %I %s', prepared, given) loop
    return next row_to_json(answer);
  end loop;
end $$;
