import { toAmount, toAnswer, toList, toText, toTime, type Answer } from './answer.ts'
import type { Dialect } from './api.ts'
import { maxEvents, timeouts, type JobEvent } from './contract.ts'

/** OpenAI, and providers that copy its files and fine-tuning APIs. */
export const openai: Dialect = {
  url: 'https://api.openai.com/v1',
  wordsOf: ({ error }) => toText(toAnswer(error)['message']),
  toBody: ({ id, fileId, baseModel, suffix, hyperparameters }) => ({
    model: baseModel,
    training_file: fileId,
    metadata: { muster_id: id },
    method: {
      type: 'supervised',
      supervised: { hyperparameters: { n_epochs: hyperparameters.epochs } },
    },
    suffix: suffix ?? undefined,
  }),
  statuses: {
    validating_files: 'validating',
    queued: 'queued',
    running: 'running',
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'cancelled',
  },
  readJob: (job) => ({
    costUsd: toAmount(job['cost_usd']),
    error: toText(toAnswer(job['error'])['message']),
    startedAt: null,
    finishedAt: toTime(job['finished_at']),
  }),
  listEvents: async (call, path) => {
    const events: Answer[] = []
    for (let after = ''; events.length < maxEvents;) {
      const page = await call('GET', `${path}/events?limit=100${after}`, timeouts.change)
      const data = toList(page['data'])
      events.push(...data)
      const last = toText(data.at(-1)?.['id'], 200)
      if (page['has_more'] !== true || last === null) break
      after = `&after=${encodeURIComponent(last)}`
    }
    // Newest first; events of the same second are in any order.
    return events.slice(0, maxEvents).map(toEvent).toReversed()
  },
}

function toEvent({ created_at: at, level, message }: Answer): JobEvent {
  return {
    at: toTime(at) ?? new Date(0),
    level: toText(level, 20) ?? 'info',
    message: toText(message) ?? '',
  }
}
