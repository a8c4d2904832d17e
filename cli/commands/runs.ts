import { setTimeout } from 'node:timers/promises'
import type { BulkFilter, RunFile } from '../../sdk/index.ts'
import { exitCodeOf, followAccount, followThrough } from '../follow.ts'
import { usageError } from '../failure.ts'
import { size } from '../format.ts'
import { findWorkflow } from '../named.ts'
import { given, limit, take, type Call, type Limited, type Verbs } from '../noun.ts'
import { fields, table } from '../output.ts'
import { answerWhileFollowing } from '../pending/answer.ts'
import { RunProgress } from '../run-progress.ts'
import { tag } from '../run-input.ts'
import { saveAll, type SaveOptions } from '../save-file.ts'
import { shell } from '../shell.ts'
import { describeTurn } from '../views/runs.ts'

/** Run commands in addition to the generated ones. */
export function addRuns(program: Verbs): void {
  const { verb } = program.noun('runs')
  addBulk(program.noun('runs'))
  verb(
    'turns <run> [step]',
    'show the conversation with the model in a step, turn by turn; the first step by default',
    ({ muster, options }: Call<Limited>, id = '', order = '0') =>
      take(options, (page) => muster.runs.turns(id, order, page)),
    (turns) => turns.map(describeTurn).join('\n\n'),
  ).option(...limit(50))
  verb(
    'watch [run]',
    'follow a run until it ends, or all runs; with --json print its events, one per line, until it ends or ' +
      'waits',
    async ({ muster, out, options }: Call<{ strict?: true }>, id = '') => {
      if (id === '') return followAccount(muster, out)
      const answer = answerWhileFollowing(muster, out)
      const run = await followThrough(muster, id, new RunProgress(out), answer, {
        onEvent: (event) => out.isJson && out.jsonLine(event),
      })
      shell().exitCode = exitCodeOf(run, options)
    },
  ).option('--strict', 'exit with 6 if the run completes with warnings')
  verb(
    'files <run>',
    'list the files that a run wrote, or save them to a folder',
    async (
      { muster, options, out }: Call<{ out?: string } & SaveOptions>,
      id = '',
    ): Promise<Known[]> => {
      const { outputs } = (await muster.runs.retrieve(id)).files
      if (options.out === undefined) return outputs
      return saveAll(muster, out, outputs, { ...options, folder: options.out })
    },
    (found) =>
      table(found, ['id', 'name', 'media_type', 'size'], { size: ({ bytes }) => size(bytes) }),
  )
    .option('--out <folder>', 'folder to save them in, each under its name')
    .option('--force', 'overwrite existing files')
}

interface BulkOptions {
  status?: string[]
  error?: string[]
  workflow?: string
  tag?: Record<string, string>
  find?: string
  after?: string
  before?: string
  dryRun?: true
}

/** Cancels or retries the runs that match a filter, and shows the progress. */
function addBulk({ verb }: Verbs): void {
  verb(
    'bulk <action>',
    'cancel or retry all runs that match a filter, up to 10,000',
    async ({ muster, options, out }: Call<BulkOptions>, action = '') => {
      if (action !== 'cancel' && action !== 'retry')
        throw usageError(`Cannot start bulk operation: ${action} is neither cancel nor retry`)
      const { status, error, workflow, tag: tags, find, after, before, dryRun } = options
      const filter = given({
        status,
        error_code: error,
        workflow_id:
          workflow === undefined
            ? undefined
            : (await findWorkflow(muster, 'start bulk operation', workflow)).id,
        tag: tags && Object.entries(tags).map(([key, value]) => `${key}:${value}`),
        q: find,
        created_after: after,
        created_before: before,
      }) as BulkFilter
      let operation = await muster.bulk_operations.create({
        action,
        filter,
        dry_run: dryRun === true,
      })
      while (operation.status === 'running') {
        const { done, skipped, matched } = operation
        out.note(`${done + skipped} of ${matched}`)
        await setTimeout(500)
        operation = await muster.bulk_operations.retrieve(operation.id)
      }
      return operation
    },
    (operation) => fields(operation, ['id', 'action', 'status', 'matched', 'done', 'skipped']),
  )
    .option('--status <status...>', 'only runs in one of these statuses')
    .option('--error <code...>', 'only runs that failed with one of these codes')
    .option('--workflow <workflow>', 'only runs of this workflow, by id or exact name')
    .option('--tag <key=value>', 'only runs with this tag; may be repeated', tag)
    .option('--find <text>', 'the start of an id, or words of input, output, error and tags')
    .option('--after <time>', 'only later runs')
    .option('--before <time>', 'only earlier runs')
    .option('--dry-run', 'only count the runs')
}

type Known = Pick<RunFile, 'id' | 'name' | 'media_type' | 'bytes'>
