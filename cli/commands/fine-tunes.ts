import { InvalidArgumentError, Option, type Command } from 'commander'
import type { CreateFineTune, Muster } from '../../sdk/index.ts'
import { connect } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { describeFineTune, describePreview, fineTuneTable } from '../fine-tunes/describe.ts'
import { watchFineTune } from '../fine-tunes/watch.ts'
import { pageSize, take, toLimit } from '../limit.ts'
import type { Output } from '../output.ts'
import { readText } from '../read-text.ts'
import { findWorkflow } from '../workflows/find.ts'
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
  const fineTunes = program
    .command('fine-tunes')
    .description('train models on files or on past runs: preview, create, watch, cancel')

  withSource(
    fineTunes
      .command('preview')
      .description('check a training set and tell what it would cost; nothing is sent'),
  ).action(async (options: SourceOptions, command: Command) => {
    const muster = await connect(command)
    const body = await toBody(muster, 'preview fine-tune', 'preview', options)
    const preview = await muster.fine_tunes.preview(body, { timeoutMs })
    output().result(preview, () => describePreview(preview))
    if (preview.problems.length > 0) shell().exitCode = exitCodes.usage
  })

  withSource(
    fineTunes
      .command('create')
      .description('upload a training set and begin to train')
      .argument('<name>', 'name of the job')
      .option('--suffix <suffix>', 'part of the id of the tuned model, 18 characters at most')
      .option('--watch', 'follow the job until it ends'),
  ).action(
    async (
      name: string,
      { suffix, watch, ...options }: SourceOptions & { suffix?: string; watch?: true },
      command: Command,
    ) => {
      const muster = await connect(command)
      const body = await toBody(muster, 'create fine-tune', name, options)
      const made = await muster.fine_tunes.create(
        { ...body, ...(suffix === undefined ? {} : { suffix }) },
        { timeoutMs },
      )
      if (watch === true) return show(muster, made.id, output())
      output().result(made, () => describeFineTune(made))
      if (made.status === 'failed') shell().exitCode = exitCodes.trainingFailed
    },
  )

  fineTunes
    .command('list')
    .description('list the jobs, newest first')
    .option('--limit <number>', 'at most so many, 1 to 1000', toLimit, 100)
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const muster = await connect(command)
      const page = await muster.fine_tunes.list({ limit: pageSize(limit) })
      const found = await take(page, limit)
      output().result(found, () => fineTuneTable(found))
    })

  fineTunes
    .command('show')
    .description('show a job as its provider tells it now')
    .argument('<fine-tune>', 'id of the job')
    .action(async (id: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const job = await muster.fine_tunes.retrieve(id)
      output().result(job, () => describeFineTune(job))
    })

  fineTunes
    .command('watch')
    .description("follow a job until it ends, with its provider's log")
    .argument('<fine-tune>', 'id of the job')
    .action(async (id: string, _options: object, command: Command) => {
      await show(await connect(command), id, output())
    })

  fineTunes
    .command('cancel')
    .description('stop a job at its provider')
    .argument('<fine-tune>', 'id of the job')
    .action(async (id: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const job = await muster.fine_tunes.cancel(id)
      output().result(job, () =>
        job.status === 'cancelled'
          ? `Cancelled ${job.id}.`
          : `Nothing to cancel: ${job.id} has ${job.status}.`,
      )
    })

  fineTunes
    .command('delete')
    .description('stop and remove a job; its model is not accepted any more')
    .argument('<fine-tune>', 'id of the job')
    .action(async (id: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const deleted = await muster.fine_tunes.delete(id)
      output().result(deleted, () => `Deleted ${deleted.id}.`)
    })
}

async function show(muster: Muster, id: string, out: Output): Promise<void> {
  const job = await watchFineTune(muster, id, out)
  out.result(job, () => describeFineTune(job))
  if (job.status !== 'succeeded') shell().exitCode = exitCodes.trainingFailed
}

function withSource(command: Command): Command {
  return command
    .requiredOption('--base-model <model>', 'the model to tune')
    .option('--file <file>', 'training set as JSONL, 20 MB at most; - for stdin')
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
  return {
    name,
    base_model: baseModel,
    ...(workflow === undefined
      ? { source: 'upload', training_data: await readText(file as string, maxFileBytes) }
      : {
          source: 'runs',
          workflow_id: (await findWorkflow(muster, action, workflow)).id,
          ...(role === undefined ? {} : { role }),
        }),
    hyperparameters: {
      ...(epochs === undefined ? {} : { epochs }),
      ...(trainingSteps === undefined ? {} : { training_steps: trainingSteps }),
      ...(learningRate === undefined ? {} : { learning_rate: learningRate }),
    },
  }
}

function toNumber(text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isFinite(number)) return number
  throw new InvalidArgumentError('Accepted is a number.')
}
