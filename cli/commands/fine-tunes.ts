import { InvalidArgumentError, Option, type Command } from 'commander'
import type { CreateFineTune, FineTune, Muster } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { describeFineTune, describePreview, fineTuneTable } from '../fine-tunes/describe.ts'
import { watchFineTune } from '../fine-tunes/watch.ts'
import { limited, take, type Limited } from '../limit.ts'
import { findWorkflow } from '../named.ts'
import { addNoun, given, type Call } from '../noun.ts'
import type { Output } from '../output.ts'
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

export function addFineTunes(program: Command, output: () => Output): void {
  const about = 'train models on files or on past runs: preview, create, watch, cancel'
  const { verb } = addNoun(program, output, 'fine-tunes', about)
  withSource(
    verb(
      'preview',
      'check a training set and estimate its cost; nothing is sent',
      async ({ muster, options }: Call<SourceOptions>) => {
        const body = await toBody(muster, 'preview fine-tune', 'preview', options)
        const preview = await muster.fine_tunes.preview(body, { timeoutMs })
        if (preview.problems.length > 0) shell().exitCode = exitCodes.usage
        return preview
      },
      describePreview,
    ),
  )
  withSource(
    verb(
      'create',
      'upload a training set and start to train',
      async (
        { muster, options, out }: Call<SourceOptions & { suffix?: string; watch?: true }>,
        name = '',
      ) => {
        const body = await toBody(muster, 'create fine-tune', name, options)
        const suffix = given({ suffix: options.suffix })
        const made = await muster.fine_tunes.create({ ...body, ...suffix }, { timeoutMs })
        if (options.watch === true) return watch(muster, made.id, out)
        if (made.status === 'failed') shell().exitCode = exitCodes.trainingFailed
        return made
      },
      describeFineTune,
    ),
  )
    .argument('<name>', 'name of the job')
    .option('--suffix <suffix>', 'part of the id of the tuned model, up to 18 characters')
    .option('--watch', 'follow the job until it ends')
  limited(
    verb(
      'list',
      'list the jobs, newest first',
      ({ muster, options }: Call<Limited>) => take(options, (page) => muster.fine_tunes.list(page)),
      fineTuneTable,
    ),
    100,
  )
  verb(
    'show <fine-tune>',
    'show a job as its provider reports it now',
    ({ muster }, id = '') => muster.fine_tunes.retrieve(id),
    describeFineTune,
  )
  verb(
    'watch <fine-tune>',
    "follow a job until it ends, with its provider's log",
    ({ muster, out }, id = '') => watch(muster, id, out),
    describeFineTune,
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
  return command
    .requiredOption('--base-model <model>', 'the model to tune')
    .option('--file <file>', 'training set as JSONL, up to 20 MB; - for stdin')
    .addOption(
      new Option(
        '--workflow <workflow>',
        'learn from the completed runs of this workflow, by id or exact name',
      ).conflicts('file'),
    )
    .addOption(
      new Option('--role <role>', 'only the steps of this role; recommended').conflicts('file'),
    )
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
  if ((file === undefined) === (workflow === undefined)) {
    throw usageError(`Cannot ${action}: give --file, or --workflow to learn from its runs`)
  }
  const source =
    workflow === undefined
      ? { source: 'upload' as const, training_data: await readText(file as string, maxFileBytes) }
      : {
          source: 'runs' as const,
          workflow_id: (await findWorkflow(muster, action, workflow)).id,
          ...given({ role }),
        }
  const hyperparameters = given({
    epochs,
    training_steps: trainingSteps,
    learning_rate: learningRate,
  })
  return { name, base_model: baseModel, ...source, hyperparameters }
}

function toNumber(text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isFinite(number)) return number
  throw new InvalidArgumentError('Expected a number.')
}
