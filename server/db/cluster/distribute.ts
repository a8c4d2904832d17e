import type { ClientBase, Pool } from 'pg'
import { ConfigError } from '../../config-error.ts'
import { createShardFunction } from './run-on-shard.ts'
import type { NodeAddress } from './shard-map.ts'

/**
 * Distributes the tables over the nodes of a Citus database, with their rows, by account and
 * co-located, so that all rows of an account are on one node. Distributed tables are left alone, so
 * this can be repeated; every migration that creates a table runs it.
 *
 * It is one transaction that locks the tables, so a crash leaves the database unchanged. Citus
 * rejects foreign keys between a distributed table and another one: they are dropped first and
 * recreated at the end.
 */
export type Distribution =
  | { kind: 'refused'; why: string }
  | { kind: 'done'; placed: Record<TableKind, string[]>; kept: number }

export type TableKind = 'distributed' | 'reference' | 'local'

/**
 * Small tables that are read together with distributed ones, or before the account is known: copied
 * to every node. A write goes to all nodes.
 */
const referenceTables = new Set([
  'account_holds',
  'accounts',
  'epochs',
  'invitations',
  'memberships',
  'users',
])

/** Tables of the installation, which are read alone: on the coordinator only. */
const localTables = new Set([
  'account_watches',
  'api_keys',
  'muster_migrations',
  'oauth_clients',
  'oauth_grants',
  'operator_log',
  'secret_check',
  'sessions',
  'setup_links',
  'sign_in_attempts',
  'workers',
])

/** How a table is stored on a cluster. */
export function tableKindOf(name: string, hasAccount: boolean): TableKind {
  if (referenceTables.has(name)) return 'reference'
  if (localTables.has(name)) return 'local'
  if (hasAccount) return 'distributed'
  throw new Error(
    `Cannot distribute the database: ${name} has no account_id, and server/db/cluster/distribute.ts does not name it`,
  )
}

/** Whether the tables of a database are distributed. */
export async function isDistributed(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  if (!(await hasCitus(client))) return false
  const { rows } = await client.query(
    `select from pg_dist_partition
     where logicalrelid = to_regclass('muster.runs') and partmethod = 'h'`,
  )
  return rows.length > 0
}

/**
 * The coordinator of the cluster that the database is a node of; undefined if it is not a node.
 * Locks, notices and some of the tables are on the coordinator.
 */
export async function findCoordinator(
  client: Pick<ClientBase, 'query'>,
): Promise<NodeAddress | undefined> {
  if (!(await hasCitus(client))) return undefined
  const { rows } = await client.query<NodeAddress | { host: null }>(
    `select nodename as host, nodeport as port
     from pg_dist_local_group as own
     left join pg_dist_node as node on node.groupid = 0 and noderole = 'primary'
     where own.groupid > 0`,
  )
  const [found] = rows
  if (found?.host === null) {
    throw new ConfigError(
      'Cannot use the database: DATABASE_URL is a node of a Citus cluster that does not know its coordinator, ' +
        'expected the address of the coordinator, or citus_set_coordinator_host on it',
    )
  }
  return found
}

/** Distributes the tables of a migrated database, or returns why it cannot. */
export async function distributeDatabase(pool: Pool): Promise<Distribution> {
  const client = await pool.connect()
  try {
    const why = await whyNot(client)
    if (why !== undefined) return { kind: 'refused', why }
    await client.query(`begin; set local statement_timeout = 0; set local lock_timeout = '10s'`)
    const done = await distributeTables(client)
    await client.query('commit')
    return { kind: 'done', ...done }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`Cannot distribute the database: ${why}`, { cause: error })
  } finally {
    // The connection may be in a failed transaction.
    client.release(true)
  }
}

/** Distributes the tables that are not distributed yet, in the open transaction. */
export async function distributeTables(
  client: ClientBase,
): Promise<{ placed: Record<TableKind, string[]>; kept: number }> {
  const all = await readTables(client)
  const placed: Record<TableKind, string[]> = { distributed: [], reference: [], local: [] }
  const isFirstTime = all.some(({ name, isPlaced }) => name === first && !isPlaced)
  for (const { name, hasAccount, isPlaced } of all) {
    const kind = tableKindOf(name, hasAccount)
    // A coordinator-only table is a plain table, before and after.
    if (kind === 'local' ? isFirstTime : !isPlaced) placed[kind].push(name)
  }
  const names = [...placed.distributed, ...placed.reference]
  if (names.length > 0) {
    await keepToOneConnectionANode(client)
    await client.query(`lock table only ${names.map(inSchema).join(', ')} in access exclusive mode`)
    const keys = await dropForeignKeys(client, names)
    for (const [kind, tables] of Object.entries(placed)) {
      for (const name of kind === 'local' ? [] : tables) await moveTable(client, name, kind)
    }
    for (const { table, name, definition } of keys) {
      await client.query(`alter table ${table} add constraint "${name}" ${definition}`)
    }
    await createShardFunction(client)
    // Executed where the rows are.
    await client.query(`select create_distributed_function('muster.new_id(text)')`)
  }
  return { placed, kept: all.length - Object.values(placed).flat().length }
}

/**
 * Makes the open transaction use one connection for each node, so that its statements see each
 * other. A plain PostgreSQL ignores the setting.
 */
export async function keepToOneConnectionANode(client: Pick<ClientBase, 'query'>): Promise<void> {
  await client.query(`set local citus.multi_shard_modify_mode = 'sequential'`)
}

async function moveTable(client: ClientBase, name: string, kind: string): Promise<void> {
  const table = inSchema(name)
  if (kind === 'reference') await client.query('select create_reference_table($1)', [table])
  else {
    await client.query(`select create_distributed_table($1, 'account_id', colocate_with => $2)`, [
      table,
      name === first ? 'none' : inSchema(first),
    ])
  }
  // The original rows still exist locally, invisible after the distribution.
  await client.query('select truncate_local_data_after_distributing_table($1)', [table])
}

/** The table that the others are co-located with. */
const first = 'runs'

const inSchema = (name: string): string => `muster."${name}"`

async function whyNot(client: ClientBase): Promise<string | undefined> {
  if (!(await hasCitus(client))) {
    return 'the database is one PostgreSQL, without the extension citus'
  }
  if (await isDistributed(client)) return undefined
  const { rows } = await client.query<{ connections: number }>(
    `select count(*)::int as connections from pg_stat_activity
     where datname = current_database() and application_name = 'muster' and pid <> pg_backend_pid()`,
  )
  const connections = rows[0]?.connections ?? 0
  return connections === 0
    ? undefined
    : `processes of Muster are connected to the database (${connections} connections), stop them first`
}

async function hasCitus(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query(`select from pg_extension where extname = 'citus'`)
  return rows.length > 0
}

async function readTables(
  client: ClientBase,
): Promise<{ name: string; hasAccount: boolean; isPlaced: boolean }[]> {
  const { rows } = await client.query<{ name: string; hasAccount: boolean; isPlaced: boolean }>(
    `select relname as name,
            exists (select from pg_attribute
                    where attrelid = class.oid and attname = 'account_id') as "hasAccount",
            -- Citus converts a table because of a foreign key, and marks it as autoconverted.
            exists (select from pg_dist_partition
                    where logicalrelid = class.oid and not autoconverted) as "isPlaced"
     from pg_class as class
     where relnamespace = 'muster'::regnamespace and relkind = 'r'
     order by relname <> $1, relname`,
    [first],
  )
  return rows
}

interface ForeignKey {
  table: string
  name: string
  definition: string
}

/** Drops the foreign keys of these tables and those that refer to them. */
async function dropForeignKeys(client: ClientBase, tables: string[]): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select conrelid::regclass::text as table, conname as name,
            pg_get_constraintdef(pg_constraint.oid) as definition
     from pg_constraint
     join pg_class as own on own.oid = conrelid
     join pg_class as other on other.oid = confrelid
     where contype = 'f' and connamespace = 'muster'::regnamespace
       and (own.relname = any($1) or other.relname = any($1))
     order by 1, 2`,
    [tables],
  )
  for (const { table, name } of rows) {
    await client.query(`alter table ${table} drop constraint "${name}"`)
  }
  return rows
}
