import type { ProviderId } from '../server/fine-tunes/providers/settings.ts'
import type { TrainerJob } from './trainer.ts'

/**
 * The job format of each provider, and the answer of a tuned model, which repeats the last line.
 */
export function toJob(shape: ProviderId, job: TrainerJob): Record<string, unknown> {
  return shape === 'openai' ? toOpenAi(job) : toMistral(job)
}

function toOpenAi(job: TrainerJob): Record<string, unknown> {
  return {
    id: job.id,
    object: 'fine_tuning.job',
    status: job.status === 'validating' ? 'validating_files' : job.status,
    model: job.model,
    training_file: job.fileId,
    metadata: job.request['metadata'],
    fine_tuned_model: job.fineTunedModel,
    trained_tokens: job.trainedTokens,
    error: job.error === null ? {} : { code: 'x', message: job.error, param: null },
    finished_at: job.finishedAt,
    created_at: job.events[0]?.at,
  }
}

const mistralWords = {
  validating: 'VALIDATING',
  queued: 'QUEUED',
  running: 'RUNNING',
  succeeded: 'SUCCESS',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
  weird: 'WEIRD',
}

function toMistral(job: TrainerJob): Record<string, unknown> {
  return {
    id: job.id,
    object: 'job',
    status: mistralWords[job.status],
    model: job.model,
    training_files: [job.fileId],
    fine_tuned_model: job.fineTunedModel,
    trained_tokens: job.trainedTokens,
    metadata: job.status === 'succeeded' ? { cost: 4, cost_currency: 'USD' } : {},
    events: job.events
      .map(({ at, status, error }) => ({
        name: 'status-updated',
        created_at: at,
        data: { status: mistralWords[status as 'queued'], ...(error === null ? {} : { error }) },
      }))
      .toReversed(),
  }
}

interface Chat {
  model: string
  messages?: { content: unknown }[]
  input?: { content: unknown }[]
}

export function toCompletion(chat: Chat): unknown {
  const content = `tuned: ${JSON.stringify(chat.messages?.at(-1)?.content ?? '')}`
  return {
    id: 'chat-1',
    object: 'chat.completion',
    created: 1,
    model: chat.model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 },
  }
}

export function toResponse(chat: Chat): unknown {
  const text = `tuned: ${JSON.stringify(chat.input?.at(-1)?.content ?? '')}`
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: chat.model,
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: { input_tokens: 1_000, output_tokens: 500, total_tokens: 1_500 },
  }
}
