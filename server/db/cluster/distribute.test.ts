import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Pool } from 'pg'
import { createPool } from '../client.ts'
import { distributeDatabase, findCoordinator, tableKindOf } from './distribute.ts'
import { migrate } from '../migrate.ts'
import * as citus from './test-citus.ts'
import { createTestDatabase } from '../test-database.ts'

const isPlain = process.env[citus.citusVariable] === undefined

describe('a database that is one PostgreSQL', { skip: !isPlain && 'all are on Citus' }, () => {
  it('is not distributed, and hears why', async () => {
    await using database = await createTestDatabase()
    await using one = open(database.url)
    assert.deepEqual(await distributeDatabase(one.pool), {
      kind: 'refused',
      why: 'the database is one PostgreSQL, without the extension citus',
    })
  })
})

describe('a server of a cluster', { skip: citus.noCitus }, () => {
  it('knows its coordinator where it is a node', async () => {
    const { urls } = await citus.findCluster(process.env[citus.citusVariable] ?? '')
    const [coordinator = '', node = ''] = urls
    await using first = open(coordinator)
    assert.equal(await findCoordinator(first.pool), undefined)
    await using other = open(node)
    const { hostname, port } = new URL(coordinator)
    assert.deepEqual(await findCoordinator(other.pool), { host: hostname, port: Number(port) })
  })

  it('is refused where it is a node that knows none', async () => {
    const { urls } = await citus.findCluster(process.env[citus.citusVariable] ?? '')
    await using node = open(urls[1] ?? '')
    const client = await node.pool.connect()
    try {
      await client.query('begin; set local allow_system_table_mods = on')
      await client.query('delete from pg_dist_node where groupid = 0')
      await assert.rejects(findCoordinator(client), /that does not know its coordinator/)
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})

describe('the schema', () => {
  it('has a place for every table, and keys that can be spread by account', async () => {
    await using database = await createTestDatabase()
    await using one = open(database.url)
    const tables = await one.rows<{ name: string; hasAccount: boolean; keys: string[][] }>(
      `select relname as name,
              exists (select from pg_attribute
                      where attrelid = class.oid and attname = 'account_id') as "hasAccount",
              array(select array(select attname::text from pg_attribute
                                 where attrelid = indrelid and attnum = any(indkey))::text
                    from pg_index where indrelid = class.oid and indisunique) as keys
       from pg_class as class
       where relnamespace = 'muster'::regnamespace and relkind = 'r'`,
    )
    assert.ok(tables.length > 40)
    const places = new Map(
      tables.map(({ name, hasAccount }) => [name, tableKindOf(name, hasAccount)]),
    )
    for (const { name, keys } of tables) {
      if (places.get(name) !== 'distributed') continue
      assert.ok(keys.length > 0, `${name} has no key`)
      for (const key of keys) assert.match(String(key), /\baccount_id\b/, `a key of ${name}`)
    }
    const references = await one.rows<{ from: string; to: string; columns: string }>(
      `select own.relname as from, other.relname as to, pg_get_constraintdef(constraints.oid) as columns
       from pg_constraint as constraints
       join pg_class as own on own.oid = conrelid join pg_class as other on other.oid = confrelid
       where contype = 'f' and connamespace = 'muster'::regnamespace`,
    )
    for (const { from, to, columns } of references) {
      if (places.get(to) === 'reference') continue
      const what = `${from} refers to ${to}: ${columns}`
      assert.equal(places.get(from), places.get(to), what)
      assert.match(columns, /^FOREIGN KEY \(account_id, .*REFERENCES \w+\(account_id, /, what)
    }
  })
})

describe('a database on a Citus cluster', { skip: citus.noCitus }, () => {
  it('is spread by account with all its rows, which lie together', async () => {
    await using scene = await makeScene()
    await scene.fill()
    const before = await scene.count()

    const done = await distributeDatabase(scene.pool)
    assert.ok(done.kind === 'done')
    assert.equal(done.kept, 0)
    assert.ok(done.placed.distributed.includes('events'))
    assert.ok(done.placed.reference.includes('accounts'))

    assert.deepEqual(await scene.count(), before)
    const shards = await scene.rows<{ node: number; tables: string }>(
      `select nodeport as node, string_agg(distinct logicalrelid::text, ' ') as tables
       from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
       where logicalrelid::text = any('{runs,steps,events,jobs}')
         and shardid = any(array(
           select get_shard_id_for_distribution_column(name, 'acc_1')
           from unnest('{runs,steps,events,jobs}'::text[]) as name))
       group by 1`,
    )
    assert.equal(shards.length, 1, 'the rows of an account lie on one node')
    assert.equal(shards[0]?.tables, 'events jobs runs steps')
    // The foreign keys, dropped to distribute the tables, are back.
    await assert.rejects(
      scene.pool.query(
        `insert into step_turns (account_id, run_id, step_position, turn, message)
         values ('acc_1', 'run_none', 0, 0, '{}')`,
      ),
      /violates foreign key constraint/,
    )
    const again = await distributeDatabase(scene.pool)
    assert.ok(again.kind === 'done')
    assert.deepEqual(again.placed, { distributed: [], reference: [], local: [] })
  })

  it('keeps tables distributed that a later migration makes', async () => {
    await using scene = await makeScene()
    await distributeDatabase(scene.pool)
    for (const text of [
      'drop table shown_requests',
      'drop table policies',
      'alter table runs drop column triggered_by, drop column triggerer_name',
      'alter table runs drop column earlier_triggerers',
      'alter table tool_calls drop column approvals',
      `delete from muster_migrations where name = '0011_policies.sql'`,
    ]) {
      await scene.pool.query(text)
    }
    assert.deepEqual(await migrate(scene.pool), { applied: ['0011_policies.sql'] })
    const places = await scene.rows(
      `select logicalrelid::text as name, partmethod from pg_dist_partition
       where logicalrelid::text in ('policies', 'shown_requests') order by 1`,
    )
    assert.deepEqual(places, [
      { name: 'policies', partmethod: 'h' },
      { name: 'shown_requests', partmethod: 'h' },
    ])
  })

  it('is left as it is while processes of Muster are connected', async () => {
    await using scene = await makeScene()
    await using other = open(scene.url)
    await other.rows('select 1')
    const refused = await distributeDatabase(scene.pool)
    assert.ok(refused.kind === 'refused')
    assert.match(refused.why, /1 connections\), stop them first/)
  })
})

interface Scene extends AsyncDisposable {
  url: string
  pool: Pool
  rows: <T extends object>(text: string) => Promise<T[]>
  /** Adds some rows to tables of each kind. */
  fill: () => Promise<void>
  count: () => Promise<Record<string, number>>
}

/** A migrated database on the cluster whose tables are not distributed yet. */
async function makeScene(): Promise<Scene> {
  const cluster = await citus.findCluster(process.env[citus.citusVariable] ?? '')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const url = await citus.createEmpty(cluster, name)
  const one = open(url)
  await migrate(one.pool)
  return {
    ...one,
    url,
    async fill() {
      await one.pool.query(`
        insert into accounts (id, name) select 'acc_' || n, 'n' from generate_series(1, 20) as n;
        insert into api_keys (account_id, id, name, role, prefix, hash)
          select id, 'key', 'n', 'admin', 'p', sha256(id::bytea) from accounts;
        insert into runs (account_id, id, workflow_id, input)
          select id, 'run_' || n, 'wf', 'i' from accounts, generate_series(1, 50) as n;
        insert into steps (account_id, run_id, position, id, role, model)
          select account_id, id, 0, 'step', 'r', 'm' from runs;
        insert into step_turns (account_id, run_id, step_position, turn, message)
          select account_id, id, 0, 0, '{}' from runs;
        insert into events (account_id, run_id, sequence, id, type, data)
          select account_id, id, 1, 'evt', 'run.queued', '{}' from runs;
        insert into jobs (account_id, run_id) select account_id, id from runs;
        insert into setup_links (token_hash, account_id, expires_at)
          select sha256(id::bytea), id, now() from accounts;`)
    },
    async count() {
      const tables = [
        'accounts',
        'api_keys',
        'runs',
        'steps',
        'step_turns',
        'events',
        'jobs',
      ].concat('setup_links', 'muster_migrations', 'epochs')
      const counts = tables.map(async (table) => {
        const [row] = await one.rows<{ n: number }>(`select count(*)::int as n from ${table}`)
        return [table, row?.n ?? 0] as const
      })
      return Object.fromEntries(await Promise.all(counts))
    },
    async [Symbol.asyncDispose]() {
      await one[Symbol.asyncDispose]()
      await citus.drop(cluster, name)
    },
  }
}

function open(url: string): Pick<Scene, 'pool' | 'rows'> & AsyncDisposable {
  const pool = createPool(url, 1, { answerMs: 0 })
  return {
    pool,
    rows: async <T extends object>(text: string) => (await pool.query<T>(text)).rows,
    [Symbol.asyncDispose]: () => pool.end(),
  }
}
