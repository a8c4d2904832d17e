import { toAmount, toAnswer, toList, toText, toTime, type Answer } from './answer.ts'
import type { Dialect } from './api.ts'
import { maxEvents, timeouts, type JobEvent } from './contract.ts'

/** Mistral's files and fine-tuning jobs. */
export const mistral: Dialect = {
  url: 'https://api.mistral.ai/v1',
  wordsOf,
  toBody: ({ fileId, baseModel, suffix, hyperparameters }) => {
    const { training_steps, learning_rate } = hyperparameters
    return {
      model: baseModel,
      training_files: [{ file_id: fileId, weight: 1 }],
      hyperparameters: { training_steps, learning_rate },
      suffix: suffix ?? undefined,
      auto_start: true,
    }
  },
  statuses: {
    QUEUED: 'queued',
    VALIDATING: 'validating',
    VALIDATED: 'validating',
    STARTED: 'running',
    RUNNING: 'running',
    SUCCESS: 'succeeded',
    FAILED: 'failed',
    FAILED_VALIDATION: 'failed',
    CANCELLED: 'cancelled',
  },
  readJob: (job) => {
    const events = toList(job['events'])
    const metadata = toAnswer(job['metadata'])
    const changed = (words: string[]) =>
      events.find(({ data }) => words.includes(String(toAnswer(data)['status'])))?.['created_at']
    // Other currencies are not dollars.
    const isUsd = ['USD', undefined, null].includes(metadata['cost_currency'] as string)
    return {
      costUsd: isUsd ? toAmount(metadata['cost']) : null,
      error: findError(events),
      startedAt: toTime(changed(['STARTED', 'RUNNING'])),
      finishedAt: toTime(changed(['SUCCESS', 'FAILED', 'FAILED_VALIDATION', 'CANCELLED'])),
    }
  },
  listEvents: async (call, path) => {
    const job = await call('GET', path, timeouts.read)
    // Newest first; events of the same second keep their order.
    const events = toList(job['events']).map(toEvent).toReversed()
    return events.sort((a, b) => a.at.getTime() - b.at.getTime()).slice(-maxEvents)
  },
}

function findError(events: Answer[]): string | null {
  const errors = events.map(({ data }) => toText(toAnswer(data)['error']))
  return errors.find((error) => error !== null) ?? null
}

function toEvent({ name, data, created_at: at }: Answer): JobEvent {
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
function wordsOf({ message, detail }: Answer): string | null {
  const [first] = toList(toAnswer(message)['detail'] ?? detail)
  return toText(message) ?? toText(detail) ?? toText(first?.['msg'])
}
