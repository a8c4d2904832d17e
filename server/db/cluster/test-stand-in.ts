import { createDatabase, createPool } from '../client.ts'
import { createPlainDatabase, type TestDatabase } from '../test-database.ts'
import { ShardMap } from './shard-map.ts'
import { run } from './test-citus.ts'
import { readFileSync } from 'node:fs'

/**
 * One PostgreSQL that has the few functions and tables of Citus that `run-on-shard.sql` uses, and
 * so acts as a cluster of one node and one shard. Statements take the path of a cluster: their
 * texts, rows as JSON, notices through the coordinator. What Citus plans, and what it does with
 * several nodes, is tested only on Citus.
 */
export async function createStandIn(): Promise<TestDatabase> {
  const plain = await createPlainDatabase()
  await run(plain.url, standIns)
  await run(plain.url, readFileSync(new URL('run-on-shard.sql', import.meta.url), 'utf8'))
  const shards = new ShardMap(createDatabase(createPool(plain.url, 1)))
  const around = createDatabase(createPool(plain.url, 3))
  return {
    url: plain.url,
    open: (connections) => createDatabase(createPool(plain.url, connections), { shards, around }),
    async [Symbol.asyncDispose]() {
      await shards[Symbol.asyncDispose]()
      await around.destroy()
      await plain[Symbol.asyncDispose]()
    },
  }
}

const standIns = `
  create table muster.pg_dist_node (nodename text, nodeport int, groupid int, noderole text, isactive boolean);
  create table muster.pg_dist_local_group (groupid int);
  create table muster.pg_dist_placement (shardid bigint, groupid int);
  create table muster.pg_dist_shard (logicalrelid regclass, shardid bigint);
  create table muster.pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char");
  insert into muster.pg_dist_node values ('stand-in', 5432, 1, 'primary', true);
  insert into muster.pg_dist_local_group values (1);
  insert into muster.pg_dist_placement values (1, 1);
  insert into muster.pg_dist_shard values ('muster.runs', 1);
  -- A shard does not number its rows.
  alter table muster.usage_deltas alter id drop identity;
  create sequence muster.usage_deltas_id_seq;
  create function muster.get_shard_id_for_distribution_column(regclass, text) returns bigint
    language sql immutable as 'select 1::bigint';
  create function muster.lock_shard_metadata(int, bigint[]) returns void language sql as '';`
