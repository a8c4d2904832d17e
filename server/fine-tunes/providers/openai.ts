import OpenAI, { APIError, APIConnectionTimeoutError, APIUserAbortError } from 'openai'
import { withDefaultPath } from '../../models/base-url.ts'
import type { JobStatus, ProviderJob } from '../job.ts'
import { requireId, toAmount, toAnswer, toCount, toList, toText, toTime } from './answer.ts'
import {
  maxEvents,
  ProviderError,
  refused,
  timeouts,
  type ClientSettings,
  type FineTuneClient,
  type JobEvent,
} from './contract.ts'
import { createProviderTransport } from './transport.ts'

/** OpenAI, and hosts that copy its files and fine-tuning jobs. */
export function openaiClient({ apiKey, baseUrl }: ClientSettings): FineTuneClient {
  const transport = createProviderTransport()
  const openai = new OpenAI({
    apiKey,
    baseURL: withDefaultPath(baseUrl, 'https://api.openai.com/v1'),
    // The client would repeat a create and so make two jobs.
    maxRetries: 0,
    fetch: transport.fetch,
    logLevel: 'off',
    // Not those of the environment.
    organization: null,
    project: null,
    webhookSecret: null,
  })
  const { jobs } = openai.fineTuning
  return {
    uploadFile: (name, content) =>
      call(timeouts.upload, async (options) => {
        const file = new File([content], name, { type: 'application/jsonl' })
        const made = await openai.files.create({ file, purpose: 'fine-tune' }, options)
        return requireId(toAnswer(made), 'file')
      }),
    findFile: (name) =>
      call(timeouts.change, async (options) => {
        const query = { purpose: 'fine-tune', order: 'desc', limit: 100 } as const
        const page = toList(toAnswer(await openai.files.list(query, options))['data'])
        const found = page.find(({ filename }) => filename === name)
        return found && requireId(found, 'file')
      }),
    deleteFile: (id) =>
      call(timeouts.change, async (options) => {
        await openai.files.delete(id, options).catch((error: unknown) => {
          if (!(error instanceof APIError && error.status === 404)) throw error
        })
      }),
    createJob: (job) =>
      call(timeouts.create, async (options) => {
        const { epochs } = job.hyperparameters
        const hyperparameters = epochs === undefined ? {} : { n_epochs: epochs }
        const made = await jobs.create(
          {
            model: job.baseModel,
            training_file: job.fileId,
            metadata: { muster_id: job.id },
            method: { type: 'supervised', supervised: { hyperparameters } },
            ...(job.suffix === null ? {} : { suffix: job.suffix }),
          },
          options,
        )
        return toJob(made)
      }),
    findJob: (fileId) =>
      call(timeouts.change, async (options) => {
        const page = toList(toAnswer(await jobs.list({ limit: 100 }, options))['data'])
        const found = page.find(({ training_file: file }) => file === fileId)
        return found && toJob(found)
      }),
    retrieveJob: (id) =>
      call(timeouts.read, async (options) => toJob(await jobs.retrieve(id, options))),
    cancelJob: (id) =>
      call(timeouts.change, async (options) => toJob(await jobs.cancel(id, options))),
    listEvents: (id) =>
      call(timeouts.change, async (options) => {
        const events: JobEvent[] = []
        for await (const event of jobs.listEvents(id, { limit: 100 }, options)) {
          events.push(toEvent(event))
          if (events.length === maxEvents) break
        }
        // They come newest first, all of one second in any order.
        return events.toReversed()
      }),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }

  async function call<T>(
    timeoutMs: number,
    send: (options: { timeout: number; signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    try {
      return await send({ timeout: timeoutMs, signal: AbortSignal.timeout(timeoutMs) })
    } catch (error) {
      throw toProviderError(error, timeoutMs, apiKey)
    }
  }
}

const statuses: Record<string, JobStatus> = {
  validating_files: 'validating',
  queued: 'queued',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
}

function toJob(value: unknown): ProviderJob {
  const job = toAnswer(value)
  const providerStatus = toText(job['status'], 100)
  if (providerStatus === null) throw new ProviderError('unknown', 'the answer is no job')
  return {
    id: requireId(job, 'job'),
    providerStatus,
    status: statuses[providerStatus],
    fineTunedModel: toText(job['fine_tuned_model'], 200),
    trainedTokens: toCount(job['trained_tokens']),
    costUsd: toAmount(job['cost_usd']),
    error: toText(toAnswer(job['error'])['message']),
    startedAt: null,
    finishedAt: toTime(job['finished_at']),
  }
}

function toEvent(value: unknown): JobEvent {
  const { created_at: at, level, message } = toAnswer(value)
  return {
    at: toTime(at) ?? new Date(0),
    level: toText(level, 20) ?? 'info',
    message: toText(message) ?? '',
  }
}

function toProviderError(error: unknown, timeoutMs: number, apiKey: string): ProviderError {
  if (error instanceof ProviderError) return error
  if (error instanceof APIUserAbortError || error instanceof APIConnectionTimeoutError) {
    return new ProviderError('unknown', `no answer within ${timeoutMs / 1000} s`, error)
  }
  if (error instanceof APIError && error.status !== undefined) {
    return refused(Number(error.status), toText(toAnswer(error.error)['message']), apiKey)
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return new ProviderError('unknown', cause instanceof Error ? cause.message : 'it failed', error)
}
