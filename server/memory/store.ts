import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { behind, type Cursor } from '../db/keyset.ts'
import type { Tables } from '../db/tables.ts'
import type { RecalledEntry } from './recall.ts'
import type { MemoryEntry } from './schema.ts'
import {
  maxEntriesPerScope,
  maxEntriesPerWorkflow,
  type MemoryOwner,
  type MemoryScope,
} from './scope.ts'
import { wordsOf } from './words.ts'

/** All SQL of memory. Writers hold the lock of `lock-owner.ts`. */
const columns = [
  'id',
  'agent_id',
  'workflow_id',
  'role',
  'content',
  'pinned',
  'source',
  'run_id',
  'created_at',
  'updated_at',
  'last_used_at',
] as const

/** Words of one entry, and of a text that entries are compared with. */
const maxWordsOfEntry = 2_000
const maxWordsOfQuery = 1_000

export interface NewEntry {
  id: string
  content: string
  pinned: boolean
  source: MemoryEntry['source']
  runId: string | null
}

/**
 * Adds an entry; in a full scope, or a full workflow, the oldest one that is not pinned makes room. An
 * entry of the same id is returned as it is. Undefined when all are pinned.
 */
export async function insertEntry(
  transaction: Transaction,
  accountId: string,
  scope: MemoryScope,
  entry: NewEntry,
): Promise<{ entry: MemoryEntry; evictedId: string | null } | undefined> {
  const [agentId, workflowId, role] =
    scope.kind === 'agent' ? [scope.agentId, null, null] : [null, scope.workflowId, scope.role]
  const owner: MemoryOwner = workflowId === null ? scope : { kind: 'workflow', workflowId }
  const { rows } = await sql<Row & { evicted_id: string | null }>`
    with present as (
      select * from memory_entries
      where account_id = ${accountId} and ${isOf(scope)} and id = ${entry.id}
    ), owned as (
      select id, pinned, created_at, ${isOf(scope)} as in_scope from memory_entries
      where account_id = ${accountId} and ${isOf(owner)}
    ), fullness as (
      select count(*) filter (where in_scope) >= ${maxEntriesPerScope}::int as of_scope,
             count(*) >= ${maxEntriesPerWorkflow}::int as of_owner
      from owned
    ), evicted as (
      delete from memory_entries where id = (
        select id from owned, fullness
        where not pinned and not exists (select from present)
          and case when of_scope then in_scope else of_owner end
        order by created_at, id limit 1)
      returning id
    ), added as (
      insert into memory_entries
        (id, account_id, agent_id, workflow_id, role, content, words, pinned, source, run_id)
      select ${entry.id}, ${accountId}, ${agentId}, ${workflowId}, ${role}, ${entry.content},
             ${wordsOf(entry.content, maxWordsOfEntry)}::text[], ${entry.pinned}::boolean,
             ${entry.source}, ${entry.runId}
      where not exists (select from present)
        and (not (select of_scope or of_owner from fullness) or exists (select from evicted))
      returning *
    )
    select *, (select id from evicted) as evicted_id
    from (select * from added union all select * from present) as stored`.execute(transaction)
  const [row] = rows
  return row && { entry: toEntry(row), evictedId: row.evicted_id }
}

/** Newest first. */
export async function listEntries(
  database: Database,
  accountId: string,
  owner: MemoryOwner,
  page: { limit: number; after: Cursor | undefined },
): Promise<MemoryEntry[]> {
  const { rows } = await sql<Row>`
    select * from memory_entries
    where account_id = ${accountId} and ${isOf(owner)} and ${behind('created_at', page.after)}
    order by created_at desc, id desc limit ${page.limit}::int`.execute(database)
  return rows.map(toEntry)
}

/** Those that share a word with the text, best match first. */
export async function searchEntries(
  database: Database,
  accountId: string,
  owner: MemoryOwner,
  text: string,
  limit: number,
): Promise<MemoryEntry[]> {
  const { rows } = await sql<Row>`
    with ${scored(accountId, owner, text)}
    select scope.* from scope join scores using (id)
    order by score desc, created_at desc, id desc limit ${limit}::int`.execute(database)
  return rows.map(toEntry)
}

/**
 * The pinned entries, newest first, and the others, best match first and newest first among equals;
 * of each as many as have `maxCharacters` together. What is shown is marked as used, to the minute.
 */
export async function recallEntries(
  database: Database | Transaction,
  accountId: string,
  scope: MemoryScope,
  text: string,
  maxCharacters: number,
): Promise<RecalledEntry[]> {
  const { rows } = await sql<RecalledEntry>`
    with ${scored(accountId, scope, text)}, ranked as (
      select id, content, pinned, sum(char_length(content)) over (
        partition by pinned
        order by case when pinned then 0 else coalesce(score, 0) end desc,
                 created_at desc, id desc
        rows unbounded preceding) as place
      from scope left join scores using (id)
    ), shown as materialized (
      select * from ranked where place <= ${maxCharacters}::int
    ), stale as (
      -- What another run is marking at this moment needs no second mark, and no wait.
      select id from memory_entries
      where account_id = ${accountId} and ${isOf(scope)} and id in (select id from shown)
        and (last_used_at is null or last_used_at < now() - interval '1 minute')
      for no key update skip locked
    ), used as (
      update memory_entries set last_used_at = clock_timestamp()
      from stale where memory_entries.id = stale.id
    )
    select id, content, pinned from shown order by pinned desc, place`.execute(database)
  return rows
}

export async function findEntry(
  database: Database,
  accountId: string,
  owner: MemoryOwner,
  id: string,
): Promise<MemoryEntry | undefined> {
  const { rows } = await sql<Row>`
    select * from memory_entries
    where account_id = ${accountId} and ${isOf(owner)} and id = ${id}`.execute(database)
  return rows[0] && toEntry(rows[0])
}

export async function updateEntry(
  transaction: Transaction,
  accountId: string,
  owner: MemoryOwner,
  id: string,
  change: { content?: string; pinned?: boolean },
): Promise<MemoryEntry | undefined> {
  const { content = null, pinned = null } = change
  const words = content === null ? null : wordsOf(content, maxWordsOfEntry)
  const { rows } = await sql<Row>`
    update memory_entries
    set content = coalesce(${content}, content), words = coalesce(${words}::text[], words),
        pinned = coalesce(${pinned}::boolean, pinned), updated_at = clock_timestamp()
    where account_id = ${accountId} and ${isOf(owner)} and id = ${id}
    returning *`.execute(transaction)
  return rows[0] && toEntry(rows[0])
}

export async function deleteEntry(
  transaction: Transaction,
  accountId: string,
  owner: MemoryOwner,
  id: string,
  { unlessPinned }: { unlessPinned: boolean },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from memory_entries
    where account_id = ${accountId} and ${isOf(owner)} and id = ${id}
      and not (pinned and ${unlessPinned}::boolean)`.execute(transaction)
  return numAffectedRows === 1n
}

/**
 * `scope`, the entries of an owner, and `scores` of those that share words with a text. As BM25: a
 * word counts the more the fewer entries have it, and a long entry needs more of them.
 */
function scored(accountId: string, owner: MemoryOwner, text: string): RawBuilder<unknown> {
  return sql`scope as materialized (
      select *, count(*) over () as entries, avg(cardinality(words)) over () as mean_size
      from memory_entries where account_id = ${accountId} and ${isOf(owner)}
    ), hits as (
      select id, entries, cardinality(words) / mean_size as size,
             count(*) over (partition by word) as frequency
      from scope cross join unnest(words) as word
        join unnest(${wordsOf(text, maxWordsOfQuery)}::text[]) as wanted (word) using (word)
    ), scores as (
      select id, sum(ln(1 + (entries - frequency + 0.5) / (frequency + 0.5))
                     / (1 + 1.2 * (0.5 + 0.5 * size))) as score
      from hits group by id
    )`
}

function isOf(owner: MemoryOwner): RawBuilder<boolean> {
  switch (owner.kind) {
    case 'agent':
      return sql`agent_id = ${owner.agentId}`
    case 'workflow':
      return sql`workflow_id = ${owner.workflowId}`
    case 'role':
      return sql`(workflow_id = ${owner.workflowId} and role = ${owner.role})`
  }
}

type Row = Pick<Selectable<Tables['memory_entries']>, (typeof columns)[number]>

function toEntry(row: Row): MemoryEntry {
  return Object.fromEntries(columns.map((column) => [column, row[column]])) as MemoryEntry
}
