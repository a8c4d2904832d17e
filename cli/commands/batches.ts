import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Batch, BatchEstimate } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { cost } from '../format.ts'
import { findWorkflow } from '../named.ts'
import { given, wholeNumber, type Call, type Verbs } from '../noun.ts'
import { fields as lines } from '../output.ts'
import { readBytes } from '../read-text.ts'
import { shell } from '../shell.ts'
import { uploadAll } from '../upload.ts'

interface CreateOptions {
  items?: string
  key?: string
  attach?: string[]
  input?: string
  name?: string
  concurrency?: number
  estimate?: true
  wait: boolean
}

const maxBytes = 32 * 1024 * 1024
const maxItems = 10_000

/** Batch commands in addition to the generated ones. */
export function addBatches(program: Verbs): void {
  const { verb } = program.noun('batches')
  verb(
    'create <workflow> [paths...]',
    'run a workflow on many inputs: a .csv or .jsonl file of items, or several other files, one run each',
    async (call: Call<CreateOptions>, name = '', ...paths) => {
      const { muster, options, out } = call
      const { id } = await findWorkflow(muster, 'start batch', name)
      const [first = '', ...others] = paths.flat()
      if (first === '') throw usageError('Cannot start batch: give a .csv or .jsonl file, or files')
      const { key, input, name: label, concurrency } = options
      const fields = given({ name: label, concurrency, input })
      const type = typeOf(first)
      let batch: Batch | BatchEstimate
      if (type !== undefined && others.length === 0) {
        const content = new Blob([new Uint8Array(await readBytes(first, maxBytes))])
        const file = given({ content, type, key }) as { content: Blob; type: 'csv' | 'jsonl' }
        batch = options.estimate
          ? await muster.batches.estimateFromFile(id, file, fields)
          : await muster.batches.createFromFile(id, file, fields)
      } else {
        const files = (await uploadAll(muster, out, [first, ...others], maxItems)) ?? []
        batch = options.estimate
          ? await muster.batches.estimate(id, { ...fields, files })
          : await muster.batches.create(id, { ...fields, files })
      }
      if (!('id' in batch) || !options.wait) return batch
      const ended = await muster.batches.wait(batch.id, {
        onChange: (now) => out.note(progressOf(now)),
      })
      if (ended.completed < ended.total) shell().exitCode = exitCodes.error
      return ended
    },
    (batch) => summarizeBatch(batch),
  )
    .option('--key <column>', "CSV only: the column with the items' keys")
    .option('--input <text>', 'input of items that have none')
    .option('--name <name>', 'display name')
    .option('--concurrency <number>', 'maximum runs in progress at once', wholeNumber(1, 1_000))
    .option('--estimate', 'only estimate cost and time')
    .option('--no-wait', 'print the batch without following it')
  verb(
    'results <batch>',
    'print the results, a line for each item, as JSON Lines or CSV',
    async ({ muster, options }: Call<{ csv?: true }>, id = '') => {
      const { body } = await muster.batches.results(id, { type: options.csv ? 'csv' : 'jsonl' })
      if (body !== null) await pipeline(Readable.fromWeb(body), shell().stdout, { end: false })
    },
  ).option('--csv', 'as CSV')
}

function summarizeBatch(batch: Batch | BatchEstimate): string {
  if (!('id' in batch))
    return lines(
      batch,
      Object.keys(batch) as (keyof BatchEstimate)[],
      {},
      'no run has completed yet',
    )
  const names = [
    'id',
    'status',
    'total',
    'completed',
    'warned',
    'failed',
    'cancelled',
    'cost',
  ] as const
  return lines(batch, names, {
    warned: ({ completed_with_warnings: count }: Batch) =>
      count === 0 ? undefined : `${count} of the completed`,
    cost,
  })
}

function typeOf(path: string): 'csv' | 'jsonl' | undefined {
  const ending = extname(path).toLowerCase()
  if (ending === '.csv' || ending === '.tsv') return 'csv'
  return ending === '.jsonl' || ending === '.ndjson' ? 'jsonl' : undefined
}

function progressOf(batch: Batch): string {
  const { total, completed, failed, cancelled, running, waiting } = batch
  const { completed_with_warnings: warned } = batch
  const ended = completed + failed + cancelled
  const notes = [
    `${ended} of ${total} ended`,
    ...(warned > 0 ? [`${warned} with warnings`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for a person`] : []),
    ...(running > 0 ? [`${running} running`] : []),
    cost(batch),
  ]
  return notes.join(' · ')
}
