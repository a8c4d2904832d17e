import type { FineTune, FineTunePreview } from '../../sdk/index.ts'
import { dollars, elapsed, shortTime } from '../format.ts'
import { bold, fields, oneLine, table } from '../output.ts'

/** Fine-tunes in words. */

export function fineTuneTable(jobs: FineTune[]): string {
  return table(
    ['ID', 'NAME', 'STATUS', 'BASE MODEL', 'EXAMPLES', 'CREATED', 'COST', 'MODEL'],
    jobs.map((job) => [
      job.id,
      job.name,
      job.status,
      job.base_model,
      String(job.example_count),
      shortTime(job.created_at),
      cost(job),
      job.fine_tuned_model ?? '–',
    ]),
  )
}

export function describeFineTune(job: FineTune): string {
  const { inference_rate: rate } = job
  return fields([
    ['id', job.id],
    ['name', job.name],
    ['status', statusOf(job)],
    ['error', job.error],
    ['model', job.fine_tuned_model ?? 'none yet'],
    ['base model', `${job.base_model} (${job.provider_label})`],
    ['examples', `${job.example_count}, ${job.training_bytes} bytes, from ${sourceOf(job)}`],
    ['created', shortTime(job.created_at)],
    ['training time', elapsed(job.started_at ?? null, job.finished_at ?? null)],
    ['trained tokens', job.trained_tokens === null ? '–' : String(job.trained_tokens)],
    ['cost', cost(job)],
    ['price', rate === null ? 'not known' : `$${rate.in} in, $${rate.out} out a million tokens`],
  ])
}

export function describePreview(preview: FineTunePreview): string {
  const { estimated_cost_usd: usd } = preview
  const overview = fields([
    ['examples', String(preview.example_count)],
    ['tokens', `${preview.token_count} in one pass`],
    ['bytes', String(preview.training_bytes)],
    ['cost', usd === null ? 'not known' : `about ${dollars(usd)}`],
  ])
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

export function statusOf(job: FineTune): string {
  const { status, provider_status: word } = job
  return word === undefined || word.toLowerCase() === status ? status : `${status} (${word})`
}

function sourceOf(job: FineTune): string {
  if (job.source === 'upload') return 'an upload'
  const role = job.source_role === undefined ? '' : `, role ${job.source_role}`
  return `runs of ${job.source_workflow_id}${role}`
}

function cost({ cost_usd: usd }: FineTune): string {
  return usd === undefined ? 'not known' : dollars(usd)
}
