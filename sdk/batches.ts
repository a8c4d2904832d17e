import { BatchesResource, type Batch, type BatchEstimate, type CreateBatch } from './generated.ts'
import { delay } from './time.ts'
import { queryOf, type RequestOptions } from './transport.ts'

/**
 * Batch methods in addition to the generated ones: items from a file, results as a file, and
 * waiting for the end.
 */
export interface BatchFile {
  /** CSV, whose columns are fields of `data`, or JSON Lines, one item per line; up to 32 MB. */
  content: Blob | string
  type: 'csv' | 'jsonl'
  /** For a CSV: the column with the keys of the items. */
  key?: string
}

type BatchFields = Pick<CreateBatch, 'name' | 'concurrency' | 'input'>

const mediaTypes = { csv: 'text/csv', jsonl: 'application/x-ndjson' }
const pollMs = 1_000

export class Batches extends BatchesResource {
  /** Starts a batch. Retries of the call create only one batch. */
  override async create(
    workflowId: string,
    body: Omit<CreateBatch, 'dry_run'>,
    options: RequestOptions = {},
  ): Promise<Batch> {
    return (await super.create(workflowId, body, options)) as Batch
  }

  /** Estimates cost and duration of a batch; nothing is started. */
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

  /** Estimates cost and duration of a batch with the items of a file. */
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

  /** The response with the results, one line per item, as soon as it starts. */
  results(
    id: string,
    { type = 'jsonl', ...options }: { type?: 'csv' | 'jsonl' } & RequestOptions = {},
  ): Promise<Response> {
    const headers = { ...options.headers, accept: mediaTypes[type] }
    const path = `/v1/batches/${encodeURIComponent(id)}/results`
    const asked = { method: 'GET', path } as const
    return this.transport.send(asked, { ...options, headers }, async (one) => one)
  }

  /** Resolves when the batch has ended. `onChange` is called each time its state is read. */
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
