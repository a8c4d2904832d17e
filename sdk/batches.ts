import { BatchesResource, type Batch, type BatchEstimate, type CreateBatch } from './generated.ts'
import { delay } from './time.ts'
import { queryOf, type RequestOptions } from './transport.ts'

/** What batches have beyond the plain operations: items from a file, results as a file, and waiting for the end. */
export interface BatchFile {
  /** CSV, whose columns are fields of `data`, or JSON Lines, an item a line; up to 32 MB. */
  content: Blob | string
  type: 'csv' | 'jsonl'
  /** Of a CSV: the column that is the key of its items. */
  key?: string
}

type BatchFields = Pick<CreateBatch, 'name' | 'concurrency' | 'input'>

const mediaTypes = { csv: 'text/csv', jsonl: 'application/x-ndjson' }
const pollMs = 1_000

export class Batches extends BatchesResource {
  /** Starts a batch. A call that is repeated after a failure makes one batch. */
  override async create(
    workflowId: string,
    body: Omit<CreateBatch, 'dry_run'>,
    options: RequestOptions = {},
  ): Promise<Batch> {
    return (await super.create(workflowId, body, options)) as Batch
  }

  /** What the batch would cost and take; nothing is started. */
  async estimate(
    workflowId: string,
    body: Omit<CreateBatch, 'dry_run'>,
    options: RequestOptions = {},
  ): Promise<BatchEstimate> {
    return (await super.create(workflowId, { ...body, dry_run: true }, options)) as BatchEstimate
  }

  /** Starts a batch with the items of a file. */
  createFromFile(
    workflowId: string,
    file: BatchFile,
    { name, concurrency, input, ...options }: BatchFields & RequestOptions = {},
  ): Promise<Batch> {
    return this.#send(workflowId, file, { name, concurrency, input }, options)
  }

  /** What a batch with the items of a file would cost and take. */
  estimateFromFile(
    workflowId: string,
    file: BatchFile,
    { concurrency, input, ...options }: BatchFields & RequestOptions = {},
  ): Promise<BatchEstimate> {
    return this.#send(workflowId, file, { concurrency, input, dry_run: true }, options)
  }

  #send<T>(
    workflowId: string,
    { content, type, key }: BatchFile,
    fields: { [K in keyof CreateBatch]?: CreateBatch[K] | undefined },
    options: RequestOptions,
  ): Promise<T> {
    const path = `/v1/workflows/${encodeURIComponent(workflowId)}/batches`
    const body = new Blob([content], { type: mediaTypes[type] })
    const query = queryOf({ ...fields, key } as RequestOptions)
    return this.transport.data({ method: 'POST', path, query, body }, options)
  }

  /** The answer with the results, a line for each item, as soon as it begins. */
  results(
    id: string,
    { type = 'jsonl', ...options }: { type?: 'csv' | 'jsonl' } & RequestOptions = {},
  ): Promise<Response> {
    const headers = { ...options.headers, accept: mediaTypes[type] }
    const path = `/v1/batches/${encodeURIComponent(id)}/results`
    const asked = { method: 'GET', path } as const
    return this.transport.send(asked, { ...options, headers }, async (one) => one)
  }

  /** The batch as soon as it has ended. `onChange` is called with each look at it. */
  async wait(
    id: string,
    { onChange, ...options }: { onChange?: (batch: Batch) => void } & RequestOptions = {},
  ): Promise<Batch> {
    for (;;) {
      const batch = await this.retrieve(id, options)
      onChange?.(batch)
      if (batch.finished_at !== null) return batch
      await delay(pollMs, options.signal)
    }
  }
}
