import type { RunFile, RunWithSteps, ToolCall, Turn } from '../../sdk/index.ts'
import { exitCodeOf, followAccount, followThrough } from '../follow.ts'
import { dollars, duration, elapsed, size, shortTime, tokens } from '../format.ts'
import { findAgent, findWorkflow } from '../named.ts'
import { given, limit, take, usd, type Call, type Limited, type Verbs } from '../noun.ts'
import { bold, clean, dim, fields, forStdout, oneLine, outputOf, table } from '../output.ts'
import { answerWhileFollowing } from '../pending/answer.ts'
import { reveal } from '../pending/show.ts'
import { saveAll, type SaveOptions } from '../save-file.ts'
import { RunProgress } from '../run-progress.ts'
import { programName, shell } from '../shell.ts'
import { formatTags, tag } from '../tags.ts'

interface Filters extends Limited {
  status?: string
  error?: string
  agent?: string
  retryOf?: string
  tag?: Record<string, string>
  minCost?: number
  after?: string
  before?: string
  find?: string
}

export function addRuns(program: Verbs): void {
  const { verb } = program.noun('runs', 'list, show, watch, cancel and retry runs')
  verb(
    'list [workflow]',
    'list the runs of a workflow, or of all, newest first',
    async ({ muster, options }: Call<Filters & { csv?: true }>, name = '') => {
      const filter = given({
        workflow_id: name === '' ? undefined : (await findWorkflow(muster, 'list runs', name)).id,
        agent_id:
          options.agent === undefined
            ? undefined
            : (await findAgent(muster, 'list runs', options.agent)).id,
        status: options.status,
        error_code: options.error,
        retry_of: options.retryOf,
        tag: options.tag && Object.entries(options.tag).map((pair) => pair.join(':')),
        min_cost_usd: options.minCost,
        created_after: options.after,
        created_before: options.before,
        q: options.find,
      })
      if (options.csv !== true) {
        return take(options, (page) => muster.runs.list_all({ ...page, ...filter }))
      }
      for await (const text of muster.runs.csv(filter)) shell().stdout.write(forStdout(text))
      return undefined
    },
    (found) =>
      table(found, ['id', 'status', 'created_at', 'time', 'steps', 'tokens', 'cost', 'input'], {
        status: (run) => `${stateOf(run)}${run.warnings.length > 0 ? ' (warning)' : ''}`,
        time: timeOf,
        steps: (run) => run.total_steps,
        tokens: (run) => `${run.tokens_in}→${run.tokens_out}`,
        cost: (run) => dollars(run.cost_usd),
        input: (run) => oneLine(run.input, 40),
      }),
  )
    .option(
      '--status <status>',
      'only runs in this status, or several with commas between; cancelled ones too',
    )
    .option('--error <code>', 'only runs that failed so, or several with commas between')
    .option('--agent <agent>', 'only runs that this agent worked on')
    .option('--retry-of <run>', 'only retries of this run')
    .option('--tag <key=value>', 'only runs with this tag; given more than once, with all', tag)
    .option('--min-cost <usd>', 'only runs that cost at least this', usd)
    .option('--after <time>', 'only later runs, such as 2026-11-01T00:00:00Z')
    .option('--before <time>', 'only earlier runs')
    .option(
      '--find <text>',
      'the start of an id, or words of the input, output, error and tag values',
    )
    .option('--csv', 'all matching runs as CSV, with inputs and outputs')
    .option(...limit(50))
  verb(
    'show <run>',
    'show a run with its steps',
    ({ muster }, id = '') => muster.runs.retrieve(id),
    describe,
  )
  verb(
    'turns <run> [step]',
    'show what the model was sent and said in a step, turn by turn; the first step by default',
    ({ muster, options }: Call<Limited>, id = '', order = '0') =>
      take(options, (page) => muster.runs.turns(id, order, page)),
    (turns) => turns.map(describeTurn).join('\n\n'),
  ).option(...limit(50))
  verb(
    'watch [run]',
    'follow a run until it ends, or all that move; with --json its events, one a line, until it ends or waits',
    async ({ muster, out }, id = '') => {
      if (id === '') return followAccount(muster, out)
      const answer = answerWhileFollowing(muster, out)
      const run = await followThrough(muster, id, new RunProgress(out), answer, {
        onEvent: (event) => out.isJson && out.jsonLine(event),
      })
      shell().exitCode = exitCodeOf(run)
    },
  )
  verb(
    'cancel <run>',
    'end a run that has not ended',
    ({ muster }, id = '') => muster.runs.cancel(id),
    ({ id, status, error_code: code }) =>
      code === 'cancelled' ? `Cancelled ${id}.` : `Nothing to cancel: ${id} is ${status}.`,
  )
  verb(
    'retry <run>',
    'run a failed run again from the step that failed',
    ({ muster }, id = '') => muster.runs.retry(id),
    (run, id) => `${run.id} retries ${id}. Watch it: ${programName()} runs watch ${run.id}`,
  )
  verb(
    'files <run>',
    'list the files that a run wrote, or save them in a folder',
    async (
      { muster, options, out }: Call<{ out?: string } & SaveOptions>,
      id = '',
    ): Promise<Known[]> => {
      const { outputs } = (await muster.runs.retrieve(id)).files
      if (options.out === undefined) return outputs
      return saveAll(muster, out, outputs, { ...options, folder: options.out })
    },
    (found) => table(found, ['id', 'name', 'media_type', 'size'], { size: fileSize }),
  )
    .option('--out <folder>', 'save them there, each under its name')
    .option('--force', 'replace files that are there already')
}

type Known = Pick<RunFile, 'id' | 'name' | 'media_type' | 'bytes'>
const fileSize = ({ bytes }: Known): string => size(bytes)

/** Cancelled apart from failed. */
const stateOf = ({
  status,
  error_code: code,
}: Pick<RunWithSteps, 'status' | 'error_code'>): string => (code === 'cancelled' ? code : status)

type Timed = Pick<RunWithSteps, 'started_at' | 'finished_at'>
const timeOf = (one: Timed): string => elapsed(one.started_at, one.finished_at)

type Used = Pick<RunWithSteps, 'tokens_in' | 'tokens_out' | 'cost_usd'>
const usedBy = (one: Used): string[] => [
  tokens(one.tokens_in, one.tokens_out),
  dollars(one.cost_usd),
]

function workedAndWaited(run: RunWithSteps): string {
  if (run.started_at === null) return '–'
  const whole = Date.parse(run.finished_at ?? new Date().toISOString()) - Date.parse(run.started_at)
  const worked = `${duration(Math.max(0, whole - run.waited_ms))} at work`
  return run.waited_ms < 1_000 ? worked : `${worked}, ${duration(run.waited_ms)} waiting`
}

/** What was done with which arguments, who decided it and why. */
function describeCall(call: ToolCall): string {
  const { decision, decider, reason, decided_at: at } = call
  const by = decider === null ? '' : ` by ${oneLine(decider.name)} (${decider.id})`
  const why = reason === null ? '' : `: ${oneLine(reason, 300)}`
  const decided =
    decision === null ? [] : [`${decision}${by}${at === null ? '' : ` ${shortTime(at)}`}${why}`]
  const lines = [
    reveal(JSON.stringify(call.input)),
    ...(call.proposed_input == null
      ? []
      : [`proposed: ${reveal(JSON.stringify(call.proposed_input))}`]),
    ...decided,
    ...(call.output === null ? [] : [`→ ${oneLine(call.output, 300)}`]),
  ]
  return [
    `${clean(call.tool)}  ${dim(call.status, shell().stdout)}`,
    ...lines.map((line) => `  ${line}`),
  ].join('\n')
}

function describe(run: RunWithSteps): string {
  const names = ['id', 'workflow_id', 'status', 'error', 'retry_of', 'tags', 'created_at'] as const
  const made = [...names, 'time', 'used', 'held', 'warnings', 'given', 'written'] as const
  const overview = fields(run, made, {
    status: stateOf,
    tags: ({ tags }) => formatTags(tags),
    time: workedAndWaited,
    used: usedBy,
    held: ({ held }) => held?.message,
    warnings: ({ warnings }) => warnings.map(({ message }) => message).join('\n') || undefined,
    given: ({ files }) => files.inputs.map(describeFile).join('\n') || undefined,
    written: ({ files }) => files.outputs.map(describeFile).join('\n') || undefined,
  })
  const steps = run.steps.map((step) => {
    const facts = [step.model, timeOf(step), ...usedBy(step)].join('  ')
    const heading = `${bold(`${step.order}. ${clean(step.role)}`)}  ${dim(facts, shell().stdout)}`
    const calls = step.tool_calls.map(describeCall)
    return [`\n${heading}`, ...calls, clean(outputOf(step) || (step.error ?? '…'))].join('\n')
  })
  return [overview, ...steps].join('\n')
}

function describeFile({ id, name, media_type: type, bytes, deleted }: RunFile): string {
  return `${oneLine(name)}  ${deleted ? 'deleted' : id}  ${type}, ${size(bytes)}`
}

function describeTurn(turn: Turn): string {
  const { number, model, duration_ms: ms, request_id: requestId } = turn
  const time = ms === null ? [] : [duration(ms)]
  const facts = [model, ...time, ...usedBy(turn), ...(requestId === null ? [] : [clean(requestId)])]
  return [
    `${bold(`Turn ${number}`)}  ${dim(facts.join('  '), shell().stdout)}`,
    ...turn.messages.map(({ role, text }) => `${bold(role)}\n${clean(text)}`),
    ...(turn.tools.length === 0
      ? []
      : [`tools: ${turn.tools.map(({ name }) => clean(name)).join(', ')}`]),
    ...(turn.text === null || turn.text === '' ? [] : [`${bold('said')}\n${clean(turn.text)}`]),
    ...(turn.problem === null ? [] : [`${bold('sent back')}\n${clean(turn.problem)}`]),
    ...turn.calls.map(
      (call) => `${describeCall({ ...call, output: null })}\n${clean(call.output ?? '…')}`,
    ),
  ].join('\n')
}
