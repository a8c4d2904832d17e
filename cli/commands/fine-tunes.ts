import { InvalidArgumentError, Option, type Command } from 'commander'
import type { CreateFineTune, FineTune, Muster } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { watchFineTune } from '../watch-fine-tune.ts'
import { findWorkflow } from '../named.ts'
import { given, type Call, type Verbs } from '../noun.ts'
import type { Output } from '../output.ts'
import { readText } from '../read-text.ts'
import { shell } from '../shell.ts'
import { describeFineTune, describePreview } from '../views/fine-tunes.ts'

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
/** The call includes the upload to the provider. */
const timeoutMs = 300_000

export function addFineTunes(program: Verbs): void {
  const { verb } = program.noun('fine-tunes')
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
    'upload a training set and start training',
    async (call: Call<SourceOptions & { suffix?: string; watch?: true }>, name = '') => {
      const { muster, options, out } = call
      const body = await toBody(muster, 'create fine-tune', name, options)
      const suffix = given({ suffix: options.suffix })
      const made = await muster.fine_tunes.create({ ...body, ...suffix }, { timeoutMs })
      if (options.watch === true) return watch(muster, made.id, out)
      if (made.status === 'failed') shell().exitCode = exitCodes.trainingFailed
      return made
    },
    describeFineTune,
  )
  withSource(preview)
  withSource(create)
    .argument('<name>', 'name of the job')
    .option('--suffix <suffix>', "part of the tuned model's id, up to 18 characters")
    .option('--watch', 'follow the job until it ends')
  verb(
    'watch <fine-tune>',
    "follow a job until it ends, with its provider's log",
    ({ muster, out }, id = '') => watch(muster, id, out),
    describeFineTune,
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
