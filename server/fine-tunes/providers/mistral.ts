import type { JobStatus, ProviderJob } from '../job.ts'
import { requireId, toAmount, toAnswer, toCount, toList, toText, toTime } from './answer.ts'
import { createApi } from './api.ts'
import {
  maxEvents,
  ProviderError,
  timeouts,
  type ClientSettings,
  type FineTuneClient,
  type JobEvent,
} from './contract.ts'

/** Mistral's files and fine-tuning jobs. */
export function mistralClient(settings: ClientSettings): FineTuneClient {
  const api = createApi(settings, 'https://api.mistral.ai/v1', wordsOf)
  const jobs = '/fine_tuning/jobs'
  const pathOf = (id: string): string => `${jobs}/${encodeURIComponent(id)}`
  return {
    uploadFile: async (name, content) => requireId(await api.upload(name, content), 'file'),
    findFile: async (name) => {
      const query = new URLSearchParams({ purpose: 'fine-tune', page_size: '100', search: name })
      const { data } = await api.call('GET', `/files?${query.toString()}`, timeouts.change)
      const found = toList(data).find(({ filename }) => filename === name)
      return found && requireId(found, 'file')
    },
    deleteFile: async (id) => {
      await api.call(
        'DELETE',
        `/files/${encodeURIComponent(id)}`,
        timeouts.change,
        undefined,
        [404],
      )
    },
    createJob: async ({ fileId, baseModel, suffix, hyperparameters }) => {
      const { training_steps, learning_rate } = hyperparameters
      const body = {
        model: baseModel,
        training_files: [{ file_id: fileId, weight: 1 }],
        hyperparameters: { training_steps, learning_rate },
        suffix: suffix ?? undefined,
        auto_start: true,
      }
      return toJob(await api.call('POST', jobs, timeouts.create, body))
    },
    findJob: async (fileId) => {
      const { data } = await api.call('GET', `${jobs}?page=0&page_size=100`, timeouts.change)
      const found = toList(data).find(
        ({ training_files: files }) => Array.isArray(files) && files.includes(fileId),
      )
      return found && toJob(found)
    },
    retrieveJob: async (id) => toJob(await api.call('GET', pathOf(id), timeouts.read)),
    cancelJob: async (id) => toJob(await api.call('POST', `${pathOf(id)}/cancel`, timeouts.change)),
    listEvents: async (id) => {
      const job = await api.call('GET', pathOf(id), timeouts.read)
      // They come newest first; those of one second keep their order.
      const events = toList(job['events']).map(toEvent).toReversed()
      return events.sort((a, b) => a.at.getTime() - b.at.getTime()).slice(-maxEvents)
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

const statuses: Record<string, JobStatus> = {
  QUEUED: 'queued',
  VALIDATING: 'validating',
  VALIDATED: 'validating',
  STARTED: 'running',
  RUNNING: 'running',
  SUCCESS: 'succeeded',
  FAILED: 'failed',
  FAILED_VALIDATION: 'failed',
  CANCELLED: 'cancelled',
}

function toJob(job: Record<string, unknown>): ProviderJob {
  const providerStatus = toText(job['status'], 100)
  if (providerStatus === null) throw new ProviderError('unknown', 'the answer is no job')
  const events = toList(job['events'])
  const metadata = toAnswer(job['metadata'])
  const status = statuses[providerStatus]
  const changed = (words: string[]) =>
    events.find(({ data }) => words.includes(String(toAnswer(data)['status'])))?.['created_at']
  return {
    id: requireId(job, 'job'),
    providerStatus,
    status,
    fineTunedModel: toText(job['fine_tuned_model'], 200),
    trainedTokens: toCount(job['trained_tokens']),
    // Other currencies are not dollars.
    costUsd: ['USD', undefined, null].includes(metadata['cost_currency'] as string)
      ? toAmount(metadata['cost'])
      : null,
    error: findError(events),
    startedAt: toTime(changed(['STARTED', 'RUNNING'])),
    finishedAt: toTime(changed(['SUCCESS', 'FAILED', 'FAILED_VALIDATION', 'CANCELLED'])),
  }
}

function findError(events: Record<string, unknown>[]): string | null {
  const errors = events.map(({ data }) => toText(toAnswer(data)['error']))
  return errors.find((error) => error !== null) ?? null
}

function toEvent({ name, data, created_at: at }: Record<string, unknown>): JobEvent {
  const { status, error } = toAnswer(data)
  const words = toText(error)
  const what = [toText(name, 100), toText(status, 100)].filter((part) => part !== null)
  return {
    at: toTime(at) ?? new Date(0),
    level: words === null ? 'info' : 'error',
    message: words === null ? what.join(': ') : `${what.join(': ')}: ${words}`,
  }
}

/** Mistral's errors are `{message}` or `{detail: [{msg}]}`; the message may be such an object too. */
function wordsOf({ message, detail }: Record<string, unknown>): string | null {
  const [first] = toList(toAnswer(message)['detail'] ?? detail)
  return toText(message) ?? toText(detail) ?? toText(first?.['msg'])
}
