import { once } from 'node:events'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Option } from 'commander'
import { Muster, type RunAnswer, type RunWithSteps } from '../../sdk/index.ts'
import type { Config } from '../../server/start/config.ts'
import { exitCodes } from '../exit-codes.ts'
import type { MailServer } from './mail-server.ts'
import { showMail } from './catch-mail.ts'
import { demoSender, ensureCrew } from './demo-crew.ts'
import { abortOnSignal, exitCodeOf, followThrough } from '../follow.ts'
import type { LocalCall, Verbs } from '../noun.ts'
import { bold, clean, dim, forStdout, type Output } from '../output.ts'
import { readDemoText } from './demo-text.ts'
import { CliError, interrupted, usageError } from '../failure.ts'
import { pendingOf, sendAnswer } from '../pending/answer.ts'
import { askChoice, canAsk } from '../pending/prompt.ts'
import { showPending } from '../pending/show.ts'
import { RunProgress } from '../run-progress.ts'
import { shell } from '../shell.ts'
import { Transcript } from './transcript.ts'

const crewFile = fileURLToPath(import.meta.resolve('#examples/crew.yaml'))
const sampleFile = fileURLToPath(import.meta.resolve('#examples/incident.md'))

const stopped = 'The demo was stopped.'

interface DemoOptions {
  file?: string
  input?: string
  yes?: true
  no?: true
  stream?: true
}

export function addDemo({ local }: Verbs): void {
  local(
    'demo',
    'watch a crew run: starts a separate service, runs a planner and a writer, asks before an email is sent, ' +
      'stops',
    showDemo,
  )
    .option('--file <file>', 'file with the text to work on, - for stdin')
    .option('--input <text>', 'text to work on')
    .addOption(new Option('--yes', 'send the email without asking').conflicts('no'))
    .option('--no', 'do not send the email')
    .option('--stream', 'show the text while it is written')
}

async function showDemo({ options, out }: LocalCall<DemoOptions>): Promise<void> {
  const { file, input } = options
  if (file !== undefined && input !== undefined) {
    throw usageError('Cannot run the demo: give one of --file and --input')
  }
  const { text, note } = await readDemoText(input, file ?? sampleFile)
  using interrupt = abortOnSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], interrupted(stopped))
  await using demo = await startDemo()
  interrupt.signal.throwIfAborted()
  const { muster, model, dataDir } = demo
  const about = model === 'muster/demo' ? ' (an offline stand-in, not a language model)' : ''
  out.note(`Muster ${demo.url}, model ${model}${about}`)
  const source = input === undefined ? (file ?? 'examples/incident.md') : 'the given text'
  out.note(`A planner and a writer work on ${source}.${note}`)
  out.note('The writer wants to send a mail, to a mail server on this machine.\n')

  const workflow = await ensureCrew(muster, model)
  const run = await muster.runs.create(
    workflow.id,
    { input: text },
    options.stream === true ? { deltas: true } : {},
  )
  const transcript = options.stream === true && !out.isJson ? new Transcript() : undefined
  const answer = async (waiting: RunWithSteps): Promise<boolean> => {
    const pending = pendingOf(waiting)
    out.note(showPending(pending))
    const decision = await decide(out, options, interrupt.signal)
    await sendAnswer(muster, run.id, { ...decision, pending_id: pending.id })
    return true
  }
  const ended = await followThrough(muster, run.id, new RunProgress(out), answer, {
    signal: interrupt.signal,
    ...(transcript && {
      onText: (text) => transcript.text(text),
      onEvent: (event) => transcript.event(event),
    }),
  }).catch(async (error: unknown) => {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.interrupted) throw error
    // A stopping service waits for the steps in progress. The demo needs none of them.
    await muster.runs.cancel(run.id)
    throw interrupted(stopped)
  })
  shell().exitCode = exitCodeOf(ended)
  if (out.isJson) {
    out.result(ended, () => '')
    return
  }
  showMails(out, demo.mail, ended)
  const [plan] = ended.steps
  if (plan?.output != null && transcript === undefined)
    out.note(`\n${bold('Plan', shell().stderr)}\n${shorten(plan.output)}`)
  // On a terminal it was already shown.
  if (ended.output !== null && !(transcript !== undefined && shell().stdout.isTTY)) {
    out.note(`\n${bold('Output', shell().stderr)}`)
    out.result(ended, () => forStdout(ended.output ?? ''))
  }
  const folder = relative(shell().cwd(), dataDir) || dataDir
  const stays = canAsk(out) && options.yes === undefined && options.no === undefined
  const path = `/runs/${ended.id}`
  if (!stays) {
    const link = linkToRun('http://127.0.0.1:3000', path, demo.setupLink)
    out.note(`\nSee this run in the console:
  MUSTER_DATA_DIR=${folder} npx muster serve
  then open ${link}`)
    if (demo.setupLink !== undefined) {
      out.note('  (valid once within 15 minutes; later, first open the link that serve prints)')
    }
    out.note(nextSteps)
    return
  }
  out.note(nextSteps)
  const link = linkToRun(demo.url, path, demo.setupLink)
  out.note(`\nThis run in the console:   ${bold(link, shell().stderr)}`)
  out.note(dim('Ctrl-C stops the demo.'))
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort')
}

/** The page of a run; while nobody has signed in, by way of the link for the first admin. */
function linkToRun(origin: string, path: string, setupLink: string | undefined): string {
  if (setupLink === undefined) return `${origin}${path}`
  return `${origin}/setup?return_to=${path}${new URL(setupLink).hash}`
}

const nextSteps = `
Start the service:         npx muster serve
Give it a text:            npx muster workflows apply -f ${relative('.', crewFile)}
                           npx muster run "Weekly report" --file ${relative('.', sampleFile)}
Read on:                   ${relative('.', join(dirname(crewFile), '..', 'docs', 'tutorial.md'))}`

/** Asks for a decision, unless an option has made it. */
async function decide(
  out: Output,
  { yes, no }: DemoOptions,
  signal: AbortSignal,
): Promise<RunAnswer> {
  if (yes === true || no === true) {
    out.note(`Send it? ${yes === true ? 'Yes, says --yes.' : 'No, says --no.'}`)
    return yes === true ? { action: 'approve' } : { action: 'reject' }
  }
  if (!canAsk(out)) {
    out.note('Send it? There is no terminal to ask at, so no. --yes and --no answer in advance.')
    return { action: 'reject', reason: 'there is no terminal to ask at' }
  }
  const choice = await askChoice('Send it? [y]es or [n]o:', ['yes', 'no'] as const, signal)
  return { action: choice === 'yes' ? 'approve' : 'reject' }
}

/** The email that really arrived: on one line if it is the approved one, else in full. */
function showMails(out: Output, { mails }: MailServer, run: RunWithSteps): void {
  if (mails.length === 0) out.note('\nThe mail server received nothing.')
  const approved = run.steps.flatMap(({ tool_calls }) => tool_calls).map(({ input }) => input)
  for (const mail of mails) {
    const isApproved = approved.some(
      (input) => input?.['subject'] === mail.subject && input?.['text'] === mail.text?.trim(),
    )
    const receivers = (mail.to ?? []).map(({ address }) => address).join(', ')
    if (isApproved) out.note(`\nThe mail server received the mail above, for ${receivers}.`)
    else out.note(`\n${bold('The mail server received', shell().stderr)}\n${showMail(mail)}`)
  }
}

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

/** A whole service in this process, with a database of its own that is reused by later demos. */
async function startDemo() {
  const { default: pino } = await import('pino')
  const { startApp } = await import('../../server/start/app.ts')
  const { readConfig } = await import('../../server/start/config.ts')
  const { readAdminKey } = await import('../../server/start/data-folder.ts')
  const { createModels } = await import('../../server/models/models.ts')
  const { startMailServer } = await import('./mail-server.ts')
  await using stack = new AsyncDisposableStack()
  const mail = stack.use(await startMailServer())
  const config = toDemoConfig(readConfig(shell().env), mail.port)
  const { dataDir } = config
  // The models for the demo's workflow.
  await using models = await createModels(config)
  const log = pino({ level: config.logLevel }, shell().stderr)
  const { url = '', setupLink } = stack.use(await startApp(config, 'all', log))
  const muster = new Muster({ apiKey: (await readAdminKey(dataDir)) ?? '', baseUrl: url })
  const all = stack.move()
  const dispose = () => all.disposeAsync()
  const model = models.defaultModel
  return { url, setupLink, mail, dataDir, model, muster, [Symbol.asyncDispose]: dispose }
}

/** Of the settings only the models are used: no real database, port or mail server is touched. */
function toDemoConfig(config: Config, mailPort: number): Config {
  const smtp = { host: '127.0.0.1', port: mailPort, secure: false, from: demoSender }
  return {
    ...config,
    databaseUrl: undefined,
    dataDir: join(config.dataDir, 'demo'),
    host: '127.0.0.1',
    port: 0,
    metricsPort: undefined,
    secretKey: undefined,
    adminKey: undefined,
    tools: { ...config.tools, smtp },
    logLevel: 'error',
    otlpEndpoint: undefined,
  }
}
