import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { execute } from '../../db/run.ts'
import type { RunKey } from '../run/run.ts'

/** SQL of the files that runs were given and that their agents wrote. Each keeps what it was called. */

/** Keeps files that are there from being deleted until the transaction ends; which of the ids they are. */
export async function shareFiles(
  transaction: Transaction,
  accountId: string,
  ids: string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from files where account_id = ${accountId} and id = any(${ids})
    order by id for key share`.execute(transaction)
  return new Set(rows.map(({ id }) => id))
}

/** Gives a new run its files, in this order. They must be shared. */
export async function insertInputs(
  transaction: Transaction,
  { accountId, runId }: RunKey,
  ids: string[],
): Promise<void> {
  const query = sql`
    insert into run_files (account_id, run_id, direction, position, file_id, name, media_type, bytes)
    select ${accountId}, ${runId}, 'input', place - 1, files.id, files.name, files.media_type, files.bytes
    from unnest(${ids}::text[]) with ordinality as given (id, place)
    join files on files.account_id = ${accountId} and files.id = given.id`
  await execute(transaction, accountId, query)
}

/** The files that a run was given. */
export async function readInputIds(
  transaction: Transaction,
  { accountId, runId }: RunKey,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select file_id as id from run_files
    where account_id = ${accountId} and run_id = ${runId} and direction = 'input'
    order by position`.execute(transaction)
  return rows.map(({ id }) => id)
}

/**
 * What a run that goes on behind the first `steps` of another takes over: what that was given, and what those
 * steps wrote. `changed` is a table expression with the new run.
 */
export function copyRunFiles({ accountId, runId }: RunKey, steps: number): RawBuilder<unknown> {
  return sql`
    insert into run_files (account_id, run_id, direction, position, file_id, step_position, name,
                           media_type, bytes)
    select changed.account_id, changed.id, direction, position, file_id, step_position, name, media_type,
           bytes
    from changed cross join run_files
    where run_files.account_id = ${accountId} and run_files.run_id = ${runId}
      and (direction = 'input' or step_position < ${steps})`
}

/** A file as the agents of a run have it. */
export interface RunFile {
  id: string
  name: string
  media_type: string
  bytes: number
  /** Of an image, in pixels; null otherwise. */
  width: number | null
  height: number | null
  /** Of a PDF; null otherwise. */
  pages: number | null
  text_status: 'complete' | 'cut' | 'none' | null
  text_chars: number | null
  /** Pieces in which its text is kept. */
  text_pages: number
  /** Null for a file that is deleted. */
  content_id: string | null
  /** The step that wrote it; null for one that the run was given. */
  step_position: number | null
}

/** Those that were given come first, then those that were written, each in their order. */
export async function readRunFiles(
  database: Database | Transaction,
  { accountId, runId }: RunKey,
): Promise<RunFile[]> {
  const { rows } = await sql<RunFile>`
    select file_id as id, run_files.name, run_files.media_type, run_files.bytes, files.width,
           files.height, files.pages, files.text_status, files.text_chars,
           coalesce(files.text_pages, 0) as text_pages, files.content_id, step_position
    from run_files left join files on files.account_id = ${accountId}
      and files.id = run_files.file_id
    where run_files.account_id = ${accountId} and run_files.run_id = ${runId}
    order by direction, position`.execute(database)
  return rows
}

/** As an expression over `runs`: whether agents of it have files. */
export const hasFiles = sql<boolean>`
  exists (select from run_files
          where run_files.account_id = runs.account_id and run_files.run_id = runs.id)`

/** Adds what a step wrote behind what is there. The account's row must be locked. */
export async function insertOutput(
  transaction: Transaction,
  { accountId, runId }: RunKey,
  stepPosition: number,
  { id, name, media_type, bytes }: Pick<RunFile, 'id' | 'name' | 'media_type' | 'bytes'>,
): Promise<void> {
  const query = sql`
    insert into run_files (account_id, run_id, direction, position, file_id, step_position, name,
                           media_type, bytes)
    select ${accountId}, ${runId}, 'output', coalesce(max(position) + 1, 0), ${id},
           ${stepPosition}::int, ${name}, ${media_type}, ${bytes}::int
    from run_files
    where account_id = ${accountId} and run_id = ${runId} and direction = 'output'`
  await execute(transaction, accountId, query)
}

/** As an expression over `runs` of the account: JSON of the `RunFile` of the schema by direction; null where there are none. */
export const filesOfRun = (accountId: string): RawBuilder<unknown> => sql`(
  select json_object_agg(direction, list) from (
    select direction, json_agg(json_build_object(
             'id', run_files.file_id, 'name', run_files.name, 'media_type', run_files.media_type,
             'bytes', run_files.bytes, 'pages', files.pages, 'text_status', files.text_status,
             'text_chars', files.text_chars, 'deleted', files.id is null) order by position) as list
    from run_files left join files on files.account_id = ${accountId}
      and files.id = run_files.file_id
    where run_files.account_id = ${accountId} and run_files.run_id = runs.id
    group by direction
  ) as by_direction)`

/** One that has not ended, with this file. */
export async function findOpenRunOf(
  database: Database | Transaction,
  accountId: string,
  fileId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select runs.id from run_files
    join runs on runs.account_id = run_files.account_id and runs.id = run_files.run_id
    where run_files.account_id = ${accountId} and run_files.file_id = ${fileId}
      and runs.status in ('queued', 'running', 'waiting_input')
    limit 1`.execute(database)
  return rows[0]?.id
}
