import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { execute } from '../../db/run.ts'
import type { RunKey } from '../run/run.ts'

/** SQL of the input and output files of runs. Each row keeps the file's name at that time. */

/** Locks files against deletion until the transaction ends. Returns the names of those that exist, by id. */
export async function shareFiles(
  transaction: Transaction,
  accountId: string,
  ids: string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from files where account_id = ${accountId} and id = any(${ids})
    order by id for key share`.execute(transaction)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Records a new run's input files, in this order. They must be locked by `shareFiles`. */
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

/** Ids of a run's input files. */
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
 * Copies the files of a run to one that continues after its first `steps` steps: its inputs, and
 * what those steps wrote. `changed` is a table expression with the new run.
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

/** A run's file, with what its agents may need to know about it. */
export interface RunFile {
  id: string
  name: string
  media_type: string
  bytes: number
  /** Pixels, for an image; else null. */
  width: number | null
  height: number | null
  /** For a PDF; else null. */
  pages: number | null
  text_status: 'complete' | 'cut' | 'none' | null
  text_chars: number | null
  /** Number of stored batches of its text. */
  text_pages: number
  /** Null if the file was deleted. */
  content_id: string | null
  /** The step that wrote the file; null for an input. */
  step_position: number | null
}

/** Input files first, then output files, each in order. */
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

/** Expression over `runs`: whether a run has files. */
export const hasFiles = sql<boolean>`
  exists (select from run_files
          where run_files.account_id = runs.account_id and run_files.run_id = runs.id)`

/** Appends an output file of a step. The account's row must be locked. */
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

/**
 * Expression over an account's `runs`: its files as in the API, as JSON by direction; null if there
 * are none.
 */
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

/** An unfinished run that uses this file, if there is one. */
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
