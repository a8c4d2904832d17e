import type {
  ComparedRun,
  Run,
  RunComparison,
  RunFile,
  RunWithSteps,
  ToolCall,
  Turn,
} from '../../sdk/index.ts'
import { cost, duration, elapsed, size, shortTime, tokens } from '../format.ts'
import { bold, clean, dim, fields, oneLine, outputOf, table } from '../output.ts'
import { reveal } from '../pending/show.ts'
import { programName, shell } from '../shell.ts'
import { describeParts } from './versions.ts'

export function listRuns(runs: Run[]): string {
  const warned = runs.some(({ warnings }) => warnings.length > 0) ? ['warnings' as const] : []
  const columns = ['created_at', 'time', 'steps', 'tokens', 'cost', 'input'] as const
  return table(runs, ['id', 'status', ...warned, ...columns], {
    status: stateOf,
    warnings: ({ warnings }) => [...new Set(warnings.map(({ code }) => code))].join(' '),
    time: timeOf,
    steps: (run) => run.total_steps,
    tokens: (run) => `${run.tokens_in}→${run.tokens_out}`,
    cost,
    input: (run) => oneLine(run.input, 40),
  })
}

export function describeCancelled({ id, status, error_code: code }: Run): string {
  return code === 'cancelled' ? `Cancelled ${id}.` : `Nothing to cancel: ${id} is ${status}.`
}

export function describeRetry({ id, retry_of: first }: Run): string {
  return `${id} retries ${first}. Watch it: ${programName()} runs watch ${id}`
}

export function describeFork({ id, forked_from: origin }: Run): string {
  const { run_id: first, step } = origin ?? {}
  return `${id} forks ${first} from step ${(step ?? 0) + 1}. Watch it: ${programName()} runs watch ${id}`
}

/** Figures of both runs side by side, then the outputs of steps that differ. */
export function describeComparison({ before, after, output, steps }: RunComparison): string {
  const rows: [string, (run: ComparedRun) => string | number][] = [
    ['id', ({ id }) => id],
    ['version', ({ workflow_version: version }) => version ?? '–'],
    [
      'status',
      ({ status, has_warnings: isWarned }) =>
        status === 'completed' && isWarned ? 'completed with warnings' : status,
    ],
    ['tokens', (run) => tokens(run.tokens_in, run.tokens_out)],
    ['cost', cost],
    ['time', ({ duration_ms: ms }) => (ms === null ? '–' : duration(ms))],
    ['calls', ({ tool_calls: calls }) => calls],
  ]
  const figures = table(
    rows.map(([name, of]) => ({ '': name, before: of(before), after: of(after) })),
    ['', 'before', 'after'],
    {},
  )
  const changed = steps.flatMap(({ order, before: old, after: now, output: parts }) =>
    parts === null
      ? []
      : `${bold(`${order + 1}. ${oneLine(now?.role ?? old?.role ?? '')}`)}\n${describeParts(parts)}`,
  )
  const same = output === null ? ['The outputs are the same.'] : []
  return [figures, ...changed, ...same].join('\n\n')
}

/** Shows cancelled runs separately from failed ones. */
const stateOf = ({
  status,
  error_code: code,
}: Pick<RunWithSteps, 'status' | 'error_code'>): string => (code === 'cancelled' ? code : status)

type Timed = Pick<RunWithSteps, 'started_at' | 'finished_at'>
const timeOf = (one: Timed): string => elapsed(one.started_at, one.finished_at)

type Used = Pick<RunWithSteps, 'tokens_in' | 'tokens_out' | 'cost_usd' | 'calls_without_price'>
const usedBy = (one: Used): string[] => [tokens(one.tokens_in, one.tokens_out), cost(one)]

function workedAndWaited(run: RunWithSteps): string {
  if (run.started_at === null) return '–'
  const whole = Date.parse(run.finished_at ?? new Date().toISOString()) - Date.parse(run.started_at)
  const worked = `${duration(Math.max(0, whole - run.waited_ms))} run time`
  return run.waited_ms < 1_000 ? worked : `${worked}, ${duration(run.waited_ms)} waiting`
}

/** A call with its arguments, and who decided it and why. */
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

export function describeRun(run: RunWithSteps): string {
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
    const heading = `${bold(`${step.order + 1}. ${clean(step.role)}`)}  ${dim(facts, shell().stdout)}`
    const calls = step.tool_calls.map(describeCall)
    return [`\n${heading}`, ...calls, clean(outputOf(step) || (step.error ?? '…'))].join('\n')
  })
  return [overview, ...steps].join('\n')
}

function describeFile({ id, name, media_type: type, bytes, deleted }: RunFile): string {
  return `${oneLine(name)}  ${deleted ? 'deleted' : id}  ${type}, ${size(bytes)}`
}

export function describeTurn(turn: Turn): string {
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

/** `customer=acme env=prod`; null if there are no tags. */
function formatTags(tags: Record<string, string>): string | null {
  const pairs = Object.entries(tags).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? null : pairs.join(' ')
}
