import type { JobStatus, ProviderJob } from '../job.ts'
import {
  requireId,
  toAmount,
  toAnswer,
  toCount,
  toList,
  toText,
  toTime,
  type Answer,
} from './answer.ts'
import { createApi } from './api.ts'
import {
  maxEvents,
  ProviderError,
  timeouts,
  type ClientSettings,
  type FineTuneClient,
  type JobEvent,
} from './contract.ts'

/** OpenAI, and hosts that copy its files and fine-tuning jobs. */
export function openaiClient(settings: ClientSettings): FineTuneClient {
  const api = createApi(settings, 'https://api.openai.com/v1', ({ error }) =>
    toText(toAnswer(error)['message']),
  )
  const jobs = '/fine_tuning/jobs'
  const pathOf = (id: string): string => `${jobs}/${encodeURIComponent(id)}`
  return {
    uploadFile: async (name, content) => requireId(await api.upload(name, content), 'file'),
    findFile: async (name) => {
      const path = '/files?purpose=fine-tune&order=desc&limit=100'
      const { data } = await api.call('GET', path, timeouts.change)
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
    createJob: async ({ id, fileId, baseModel, suffix, hyperparameters }) => {
      const body = {
        model: baseModel,
        training_file: fileId,
        metadata: { muster_id: id },
        method: {
          type: 'supervised',
          supervised: { hyperparameters: { n_epochs: hyperparameters.epochs } },
        },
        suffix: suffix ?? undefined,
      }
      return toJob(await api.call('POST', jobs, timeouts.create, body))
    },
    findJob: async (fileId) => {
      const { data } = await api.call('GET', `${jobs}?limit=100`, timeouts.change)
      const found = toList(data).find(({ training_file: file }) => file === fileId)
      return found && toJob(found)
    },
    retrieveJob: async (id) => toJob(await api.call('GET', pathOf(id), timeouts.read)),
    cancelJob: async (id) => toJob(await api.call('POST', `${pathOf(id)}/cancel`, timeouts.change)),
    listEvents: async (id) => {
      const events: Answer[] = []
      for (let after = ''; events.length < maxEvents;) {
        const path = `${pathOf(id)}/events?limit=100${after}`
        const page = await api.call('GET', path, timeouts.change)
        const data = toList(page['data'])
        events.push(...data)
        const last = toText(data.at(-1)?.['id'], 200)
        if (page['has_more'] !== true || last === null) break
        after = `&after=${encodeURIComponent(last)}`
      }
      // They come newest first, all of one second in any order.
      return events.slice(0, maxEvents).map(toEvent).toReversed()
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
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

function toJob(job: Answer): ProviderJob {
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

function toEvent({ created_at: at, level, message }: Answer): JobEvent {
  return {
    at: toTime(at) ?? new Date(0),
    level: toText(level, 20) ?? 'info',
    message: toText(message) ?? '',
  }
}
