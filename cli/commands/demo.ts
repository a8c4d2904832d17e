import { join, relative } from 'node:path'
import type { Command } from 'commander'
import { Muster, type Workflow } from '../../sdk/index.ts'
import type { Config } from '../../server/config.ts'
import { exitCodes } from '../exit-codes.ts'
import { abortOnSignal, createView, exitCodeOf, followRun } from '../follow.ts'
import { bold, clean, dim, forStdout, type Output } from '../output.ts'
import { readDemoText } from '../demo-text.ts'
import { CliError, usageError } from '../failure.ts'
import { findByName } from '../workflows/find.ts'

const sampleFile = join(import.meta.dirname, '..', '..', 'examples', 'incident.md')

export function addDemo(program: Command, output: () => Output): void {
  program
    .command('demo')
    .description(
      'see a crew at work: starts a service of its own, runs a planner and a writer, stops',
    )
    .option('--file <file>', 'let them work on this text, - for stdin')
    .option('--input <text>', 'let them work on these words')
    .action(async (options: { file?: string; input?: string }) => {
      if (options.file !== undefined && options.input !== undefined) {
        throw usageError('Cannot run the demo: give one of --file and --input')
      }
      const out = output()
      const { text, note } = await readDemoText(options.input, options.file ?? sampleFile)
      using interrupt = abortOnSignal(['SIGINT', 'SIGTERM'], stopped())
      await using demo = await startDemo()
      interrupt.signal.throwIfAborted()
      const { muster, model, dataDir } = demo
      const about = model === 'muster/demo' ? ' (an offline stand-in, not a language model)' : ''
      out.note(`Muster ${demo.url}, model ${model}${about}`)
      const source =
        options.input === undefined ? (options.file ?? 'examples/incident.md') : 'the words given'
      out.note(`A planner and a writer work on ${source}.${note}\n`)

      const workflow = await ensureWorkflow(demo)
      const run = await muster.runs.create(workflow.id, { input: text })
      const ended = await followRun(muster, run.id, createView(out), {
        signal: interrupt.signal,
      }).catch(async (error: unknown) => {
        // A service that stops lets the steps in progress finish; nobody waits for this one.
        if (interrupt.signal.aborted) await muster.runs.cancel(run.id)
        throw error
      })
      process.exitCode = exitCodeOf(ended)
      if (out.isJson) {
        out.result(ended, () => '')
        return
      }
      const [plan] = ended.steps
      if (plan?.output != null)
        out.note(`\n${bold('Plan', process.stderr)}\n${shorten(plan.output)}`)
      if (ended.output !== null) {
        out.note(`\n${bold('Output', process.stderr)}`)
        out.result(ended, () => forStdout(ended.output ?? ''))
      }
      out.note(`\n${dim(`Run ${ended.id} is kept in ${relative('.', dataDir) || dataDir}.`)}`)
      out.note(nextSteps)
    })
}

const nextSteps = `
Next, start the service:   npm start
and give it a text:        npx muster workflows apply -f examples/crew.yaml
                           npx muster run "Weekly report" --file README.md
or the same with curl:     curl http://127.0.0.1:3000/v1/workflows \\
                             -H "Authorization: Bearer $(cat .muster/admin-key)"`

/** The first lines of a plan. */
function shorten(plan: string): string {
  const lines = clean(plan)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const shown = lines
    .slice(0, 6)
    .map((line) => (line.length > 100 ? `${line.slice(0, 99)}…` : line))
  const rest = lines.length - shown.length
  return dim([...shown, ...(rest > 0 ? [`… ${rest} more lines`] : [])].join('\n'))
}

function stopped(): CliError {
  return new CliError(exitCodes.interrupted, 'interrupted', 'The demo was stopped.')
}

/** A whole service in this process, with a database of its own that is kept between demos. */
interface Demo extends AsyncDisposable {
  url: string
  dataDir: string
  /** The model of the demo's workflow. */
  model: string
  muster: Muster
}

async function startDemo(env = process.env): Promise<Demo> {
  const { default: pino } = await import('pino')
  const { startApp } = await import('../../server/app.ts')
  const { readConfig } = await import('../../server/config.ts')
  const { readAdminKey } = await import('../../server/data-folder.ts')
  const { createModels } = await import('../../server/models/models.ts')
  const config = toDemoConfig(readConfig(env))
  await using models = await createModels(config)
  const app = await startApp(config, 'all', pino({ level: config.logLevel }, process.stderr))
  const url = app.url as string
  const apiKey = app.newAdminKey ?? (await readAdminKey(config.dataDir)) ?? ''
  return {
    url,
    dataDir: config.dataDir,
    model: models.defaultModel,
    muster: new Muster({ apiKey, baseUrl: url }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** Of the settings only the models count: neither the real database nor its port is touched. */
function toDemoConfig(config: Config): Config {
  return {
    ...config,
    databaseUrl: undefined,
    dataDir: join(config.dataDir, 'demo'),
    host: '127.0.0.1',
    port: 0,
    metricsPort: undefined,
    secretKey: undefined,
    adminKey: undefined,
    logLevel: 'error',
    otlpEndpoint: undefined,
  }
}

const workflowName = 'Demo'

/** The demo's workflow, which the first demo makes; the model may have changed since. */
async function ensureWorkflow({ muster, model }: Demo): Promise<Pick<Workflow, 'id'>> {
  const existing = await findByName(muster, 'run the demo', workflowName)
  if (existing === undefined) return muster.workflows.create({ name: workflowName, model })
  return existing.model === model ? existing : muster.workflows.update(existing.id, { model })
}
