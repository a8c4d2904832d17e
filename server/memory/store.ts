import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { OwnedTable, equal } from '../db/owned-table.ts'
import { asTime, run } from '../db/run.ts'
import type { ShownEntry } from '../engine/run/step.ts'
import {
  MemoryEntry,
  maxEntriesPerScope,
  maxEntriesPerWorkflow,
  type MemoryOwner,
  type MemoryScope,
} from './schema.ts'
import { wordsOf } from '../words.ts'

/** All SQL of memory. Writers must hold the lock of `lockOwner`. */
export const entries = new OwnedTable<MemoryEntry>(
  'memory_entries',
  Object.keys(MemoryEntry.properties),
)

/** Words of one entry; 2,000 characters of an alphabetic text have no more, prefixes included. */
const maxWordsOfEntry = 700
/**
 * Words of a text that are searched for: a search compares with up to 2,000 entries, a recall with
 * 200.
 */
const maxWordsOfSearch = 32
const maxWordsOfRecall = 1_000

export interface NewEntry {
  id: string
  content: string
  pinned: boolean
  source: MemoryEntry['source']
  runId: string | null
}

/**
 * Adds an entry; in a full scope, or a full workflow, it replaces the oldest one that is not
 * pinned. An existing entry with the same id is returned unchanged. Undefined if all are pinned.
 */
export async function insertEntry(
  transaction: Transaction,
  accountId: string,
  scope: MemoryScope,
  entry: NewEntry,
): Promise<{ entry: MemoryEntry; evictedId: string | null } | undefined> {
  const { agent_id = null, workflow_id = null, role = null } = columnsOf(scope)
  const owner: MemoryOwner = scope.kind === 'agent' ? scope : { ...scope, kind: 'workflow' }
  const query = sql<MemoryEntry & { evicted_id: string | null }>`
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
      delete from memory_entries where account_id = ${accountId} and id = (
        select id from owned cross join fullness
        where not pinned and not exists (select from present)
          and case when of_scope then in_scope else of_owner end
        order by created_at, id limit 1)
      returning id
    ), added as (
      insert into memory_entries
        (id, account_id, agent_id, workflow_id, role, content, words, pinned, source, run_id)
      select ${entry.id}, ${accountId}, ${agent_id}, ${workflow_id}, ${role}, ${entry.content},
             ${wordsOf(entry.content, maxWordsOfEntry)}::text[], ${entry.pinned}::boolean,
             ${entry.source}, ${entry.runId}
      where not exists (select from present)
        and (not (select of_scope or of_owner from fullness) or exists (select from evicted))
      returning *
    )
    select ${entries.fields}, (select id from evicted) as evicted_id
    from (select * from added union all select * from present) as memory_entries`
  const times = { created_at: asTime, updated_at: asTime, last_used_at: asTime }
  const [row] = await run(transaction, accountId, query, times)
  if (row === undefined) return undefined
  const { evicted_id: evictedId, ...stored } = row
  return { entry: stored, evictedId }
}

/** Dates another entry with this content anew. Undefined if there is none. */
export async function renewEqual(
  transaction: Transaction,
  accountId: string,
  scope: MemoryScope,
  { id, content }: Pick<NewEntry, 'id' | 'content'>,
): Promise<string | undefined> {
  const query = sql<{ id: string }>`
    update memory_entries set created_at = now(), updated_at = now()
    where account_id = ${accountId} and id = (
      select id from memory_entries
      where account_id = ${accountId} and ${isOf(scope)} and content = ${content} and id <> ${id}
      order by pinned desc, created_at desc, id limit 1)
    returning id`
  const [renewed] = await run(transaction, accountId, query)
  return renewed?.id
}

/** Entries that share a word with the text, best match first. */
export async function searchEntries(
  database: Database,
  accountId: string,
  owner: MemoryOwner,
  text: string,
  limit: number,
): Promise<MemoryEntry[]> {
  const { rows } = await sql<MemoryEntry>`
    with ${scored(accountId, owner, wordsOf(text, maxWordsOfSearch))}
    select ${entries.fields} from scope as memory_entries join scores using (id)
    order by score desc, created_at desc, id desc limit ${limit}::int`.execute(database)
  return rows
}

/** Further statements of the transaction fail with 57014 if they take longer. */
export async function limitStatements(transaction: Transaction, maxMs: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(maxMs)}, true)`.execute(transaction)
}

/**
 * The pinned entries, newest first, and the others, best match first, then newest first; of each
 * kind up to `maxCharacters`. Updates when the returned entries were last used, to the minute.
 */
export async function recallEntries(
  database: Database | Transaction,
  accountId: string,
  scope: MemoryScope,
  text: string,
  maxCharacters: number,
): Promise<ShownEntry[]> {
  const query = sql<ShownEntry>`
    with ${scored(accountId, scope, wordsOf(text, maxWordsOfRecall))}, ranked as (
      select id, content, pinned, sum(char_length(content)) over (
        partition by pinned
        order by case when pinned then 0 else coalesce(score, 0) end desc,
                 created_at desc, id desc
        rows unbounded preceding) as place
      from scope left join scores using (id)
    ), shown as materialized (
      select * from ranked where place <= ${maxCharacters}::int
    ), stale as (
      -- Rows that another run is marking at this moment are skipped.
      select id from memory_entries
      where account_id = ${accountId} and ${isOf(scope)} and id in (select id from shown)
        and (last_used_at is null or last_used_at < now() - interval '1 minute')
      for no key update skip locked
    ), used as (
      update memory_entries set last_used_at = clock_timestamp()
      from stale where memory_entries.account_id = ${accountId} and memory_entries.id = stale.id
    )
    select id, content, pinned from shown order by pinned desc, place`
  return run(database, accountId, query)
}

/** Changes the given fields. */
export function updateEntry(
  transaction: Transaction,
  accountId: string,
  id: string,
  change: { content?: string; pinned?: boolean },
): Promise<MemoryEntry> {
  const { content } = change
  const words = content === undefined ? undefined : wordsOf(content, maxWordsOfEntry)
  return entries.update(transaction, accountId, id, { ...change, words })
}

/**
 * Which of these scopes have at least one entry, by index; one statement for any number. Lets a
 * batch of runs skip recalls that would find nothing.
 */
export async function haveMemory(
  database: Database,
  wanted: { accountId: string; scope: MemoryScope }[],
): Promise<boolean[]> {
  if (wanted.length === 0) return []
  const scopes = wanted.map(({ accountId, scope }, number) => ({
    number,
    account_id: accountId,
    ...columnsOf(scope),
  }))
  const query = sql<{ number: number }>`
    select wanted.number from json_to_recordset(${JSON.stringify(scopes)}::json) as wanted
      (number int, account_id text, agent_id text, workflow_id text, role text)
    where case when wanted.agent_id is not null
      then exists (select from memory_entries as entry
                   where entry.account_id = wanted.account_id
                     and entry.agent_id = wanted.agent_id)
      else exists (select from memory_entries as entry
                   where entry.account_id = wanted.account_id
                     and entry.workflow_id = wanted.workflow_id and entry.role = wanted.role)
    end`
  const rows = await run(database, wanted, query)
  const found = new Set(rows.map(({ number }) => number))
  return wanted.map((_, number) => found.has(number))
}

/**
 * `scope`, the entries of an owner, and `scores` of those that share words with a text. By BM25: a
 * rarer word counts more, and a longer entry needs more matches.
 *
 * The work grows with the stored words and the matches, whatever the planner's statistics: `is
 * true` keeps the planner from a join, possibly a nested loop, instead of a hash lookup, and `size`
 * is not computed again for each match. Weights are integers: their sum does not depend on the
 * order, and `numeric` would be slow.
 */
function scored(accountId: string, owner: MemoryOwner, words: string[]): RawBuilder<unknown> {
  return sql`scope as materialized (
      select *, cardinality(words)::float8 as size
      from memory_entries where account_id = ${accountId} and ${isOf(owner)}
    ), hits as (
      select id, size, (count(*) over (partition by word))::float8 as frequency
      from (select id, size, unnest(words) as word from scope) as said
      where (word in (select unnest(${words}::text[]))) is true
    ), scores as (
      select id, sum(round(1e6 * ln(1 + (entries - frequency + 0.5) / (frequency + 0.5)))::bigint)
                 / (1 + 1.2 * (0.5 + 0.5 * size / mean_size)) as score
      from hits cross join (select count(*)::float8 as entries, avg(size) as mean_size from scope) as total
      group by id, size, mean_size
    )`
}

function isOf(owner: MemoryOwner): RawBuilder<boolean> {
  return equal(columnsOf(owner))
}

/** The columns that identify an entry's owner. */
export function columnsOf(
  owner: MemoryOwner,
): Partial<Pick<MemoryEntry, 'agent_id' | 'workflow_id' | 'role'>> {
  if (owner.kind === 'agent') return { agent_id: owner.agentId }
  const role = owner.kind === 'role' ? { role: owner.role } : {}
  return { workflow_id: owner.workflowId, ...role }
}
