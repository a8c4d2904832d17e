import { InvalidArgumentError, Option, type Command } from 'commander'
import type { CreateFineTune, FineTune, FineTunePreview, Muster } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { statusOf, watchFineTune } from '../watch-fine-tune.ts'
import { dollars, elapsed } from '../format.ts'
import { findWorkflow } from '../named.ts'
import { given, limit, take, type Call, type Limited, type Verbs } from '../noun.ts'
import { bold, fields, oneLine, table, type Output } from '../output.ts'
import { readText } from '../read-text.ts'
import { shell } from '../shell.ts'

interface SourceOptions {
  baseModel: string
  file?: string
  workflow?: string
  role?: string
  epochs?: number
  trainingSteps?: number
  learningRate?: number
}

const maxFileBytes = 20 * 1024 * 1024
/** Uploading to the provider is a part of the call. */
const timeoutMs = 300_000

export function addFineTunes(program: Verbs): void {
  const about = 'train models on files or on past runs: preview, create, watch, cancel'
  const { verb } = program.noun('fine-tunes', about)
  const preview = verb(
    'preview',
    'check a training set and estimate its cost; nothing is sent',
    async ({ muster, options }: Call<SourceOptions>) => {
      const body = await toBody(muster, 'preview fine-tune', 'preview', options)
      const preview = await muster.fine_tunes.preview(body, { timeoutMs })
      if (preview.problems.length > 0) shell().exitCode = exitCodes.usage
      return preview
    },
    describePreview,
  )
  const create = verb(
    'create',
    'upload a training set and start to train',
    async (call: Call<SourceOptions & { suffix?: string; watch?: true }>, name = '') => {
      const { muster, options, out } = call
      const body = await toBody(muster, 'create fine-tune', name, options)
      const suffix = given({ suffix: options.suffix })
      const made = await muster.fine_tunes.create({ ...body, ...suffix }, { timeoutMs })
      if (options.watch === true) return watch(muster, made.id, out)
      if (made.status === 'failed') shell().exitCode = exitCodes.trainingFailed
      return made
    },
    describe,
  )
  withSource(preview)
  withSource(create)
    .argument('<name>', 'name of the job')
    .option('--suffix <suffix>', 'part of the id of the tuned model, up to 18 characters')
    .option('--watch', 'follow the job until it ends')
  verb(
    'list',
    'list the jobs, newest first',
    ({ muster, options }: Call<Limited>) => take(options, (page) => muster.fine_tunes.list(page)),
    (jobs) =>
      table(
        jobs,
        ['id', 'name', 'status', 'base_model', 'examples', 'created_at', 'cost', 'model'],
        { examples: (job) => job.example_count, cost, model: (job) => job.fine_tuned_model },
      ),
  ).option(...limit(100))
  verb(
    'show <fine-tune>',
    'show a job as its provider reports it now',
    ({ muster }, id = '') => muster.fine_tunes.retrieve(id),
    describe,
  )
  verb(
    'watch <fine-tune>',
    "follow a job until it ends, with its provider's log",
    ({ muster, out }, id = '') => watch(muster, id, out),
    describe,
  )
  verb(
    'cancel <fine-tune>',
    'stop a job at its provider',
    ({ muster }, id = '') => muster.fine_tunes.cancel(id),
    ({ id, status }) =>
      status === 'cancelled' ? `Cancelled ${id}.` : `Nothing to cancel: ${id} has ${status}.`,
  )
  verb(
    'delete <fine-tune>',
    'stop and remove a job; its model can no longer be used',
    ({ muster }, id = '') => muster.fine_tunes.delete(id),
    ({ id }) => `Deleted ${id}.`,
  )
}

async function watch(muster: Muster, id: string, out: Output): Promise<FineTune> {
  const job = await watchFineTune(muster, id, out)
  if (job.status !== 'succeeded') shell().exitCode = exitCodes.trainingFailed
  return job
}

function withSource(command: Command): Command {
  const runs = 'learn from the completed runs of this workflow, by id or exact name'
  const role = 'only the steps of this role; recommended'
  return command
    .requiredOption('--base-model <model>', 'the model to tune')
    .option('--file <file>', 'training set as JSONL, up to 20 MB; - for stdin')
    .addOption(new Option('--workflow <workflow>', runs).conflicts('file'))
    .addOption(new Option('--role <role>', role).conflicts('file'))
    .option('--epochs <number>', 'passes over the data (OpenAI)', toNumber)
    .option('--training-steps <number>', 'training steps (Mistral)', toNumber)
    .option('--learning-rate <number>', 'learning rate (Mistral)', toNumber)
}

async function toBody(
  muster: Muster,
  action: string,
  name: string,
  options: SourceOptions,
): Promise<CreateFineTune> {
  const { baseModel, file, workflow, role, epochs, trainingSteps, learningRate } = options
  const hyperparameters = given({
    epochs,
    training_steps: trainingSteps,
    learning_rate: learningRate,
  })
  const body = { name, base_model: baseModel, hyperparameters }
  if (file !== undefined && workflow === undefined) {
    return { ...body, source: 'upload', training_data: await readText(file, maxFileBytes) }
  }
  if (file !== undefined || workflow === undefined) {
    throw usageError(`Cannot ${action}: give --file, or --workflow to learn from its runs`)
  }
  const { id } = await findWorkflow(muster, action, workflow)
  return { ...body, source: 'runs', workflow_id: id, ...given({ role }) }
}

function toNumber(text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isFinite(number)) return number
  throw new InvalidArgumentError('Expected a number.')
}

function describe(job: FineTune): string {
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
      rate === null ? 'not known' : `$${rate.in} in, $${rate.out} out a million tokens`,
  })
}

function describePreview(preview: FineTunePreview): string {
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
