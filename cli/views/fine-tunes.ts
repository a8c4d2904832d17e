import type { FineTune, FineTunePreview } from '../../sdk/index.ts'
import { dollars, elapsed } from '../format.ts'
import { bold, fields, oneLine, table } from '../output.ts'
import { statusOf } from '../watch-fine-tune.ts'

export function listFineTunes(jobs: FineTune[]): string {
  const columns = ['id', 'name', 'status', 'base_model', 'examples', 'created_at'] as const
  return table(jobs, [...columns, 'cost', 'model'], {
    examples: (job) => job.example_count,
    cost,
    model: (job) => job.fine_tuned_model,
  })
}

export function describeCancelled({ id, status }: FineTune): string {
  return status === 'cancelled' ? `Cancelled ${id}.` : `Nothing to cancel: ${id} has ${status}.`
}

export function describeFineTune(job: FineTune): string {
  const first = ['id', 'name', 'status', 'error', 'model', 'base_model', 'examples'] as const
  const rest = ['created_at', 'training time', 'trained_tokens', 'cost', 'price'] as const
  return fields(job, [...first, ...rest], {
    status: statusOf,
    model: ({ fine_tuned_model: model }) => model ?? 'none yet',
    base_model: ({ base_model: model, provider_label: label }) => `${model} (${label})`,
    examples: ({ example_count: count, training_bytes: bytes }) =>
      `${count}, ${bytes} bytes, from ${sourceOf(job)}`,
    'training time': ({ started_at: start = null, finished_at: end = null }) => elapsed(start, end),
    trained_tokens: ({ trained_tokens: tokens }) => tokens ?? '–',
    cost,
    price: ({ inference_rate: rate }) =>
      rate === null ? 'not known' : `$${rate.in} in, $${rate.out} out per million tokens`,
  })
}

export function describePreview(preview: FineTunePreview): string {
  const overview = fields(preview, ['examples', 'tokens', 'bytes', 'cost'], {
    examples: ({ example_count: count }) => count,
    tokens: ({ token_count: count }) => `${count} in one pass`,
    bytes: ({ training_bytes: bytes }) => bytes,
    cost: ({ estimated_cost_usd: usd }) => (usd === null ? 'not known' : `about ${dollars(usd)}`),
  })
  const examples = preview.examples.map(({ messages }, index) =>
    [
      `\n${bold(`Example ${index + 1}`)}`,
      ...messages.map(({ role, content }) => `${role}: ${oneLine(content ?? '', 200)}`),
    ].join('\n'),
  )
  const problems = preview.problems.map(({ message }) => `- ${oneLine(message, 300)}`)
  const told = problems.length === 0 ? [] : [`\n${bold('Problems')}`, ...problems]
  return [overview, ...examples, ...told].join('\n')
}

function sourceOf(job: FineTune): string {
  if (job.source === 'upload') return 'an upload'
  const role = job.source_role === undefined ? '' : `, role ${job.source_role}`
  return `runs of ${job.source_workflow_id}${role}`
}

function cost({ cost_usd: usd }: FineTune): string {
  return usd === undefined ? 'not known' : dollars(usd)
}
