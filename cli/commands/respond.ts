import { Option } from 'commander'
import type { CallDecision, RunAnswer } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import {
  alreadyAnswered,
  answerInTerminal,
  describeAnswered,
  pendingOf,
  requestsOf,
  sendAnswer,
} from '../pending/answer.ts'
import { given, type LocalCall, type Verbs } from '../noun.ts'
import { parseArguments } from '../pending/edit.ts'
import { parseAsWritten } from '../../server/exact-json.ts'
import type { Pending } from '../pending/show.ts'
import { canAsk } from '../pending/prompt.ts'
import { readText } from '../read-text.ts'
import { shell } from '../shell.ts'

interface RespondOptions {
  approve?: true
  reject?: true
  reason?: string
  input?: string
  toolInput?: string
  maxCostUsd?: string
  pending?: string
  all?: true
  decisions?: string
}

const maxFileBytes = 1024 * 1024

export function addRespond({ local }: Verbs): void {
  const others = ['approve', 'toolInput', 'maxCostUsd', 'reject']
  local(
    'respond <run>',
    "answer a run's waiting request; shows it and asks, unless options give the answer",
    async ({ options, out, connect }: LocalCall<RespondOptions>, id = '') => {
      const answer = await toAnswer(options)
      const decisions = await readDecisions(options)
      if (answer === undefined && decisions === undefined && !canAsk(out)) {
        throw usageError(
          'Cannot respond to run: there is no terminal to ask at; give --approve, --reject, --input, --tool-input, --max-cost-usd or --decisions',
        )
      }
      const muster = await connect()
      const run = await muster.runs.retrieve(id)
      const requests = requestsOf(pendingOf(run))
      const shown = requests.find((one) => one.id === (options.pending ?? requests[0]?.id))
      if (shown === undefined) throw alreadyAnswered(id)
      if (decisions !== undefined) return sendAnswer(muster, id, bind(decisions, requests))
      if (answer !== undefined && options.all === true) {
        const approvals = requests.filter(({ kind }) => kind === 'approval')
        const all = approvals.map(({ call_id = '' }) => ({ ...answer, call_id }))
        return sendAnswer(muster, id, bind(all, requests))
      }
      if (answer !== undefined) return sendAnswer(muster, id, { ...answer, pending_id: shown.id })
      const answered = await answerInTerminal(muster, run)
      if (answered === undefined) {
        shell().exitCode = exitCodes.runWaits
        out.note(`Skipped; ${id} keeps waiting.`)
      }
      return answered
    },
    describeAnswered,
  )
    .option('--approve', 'approve the action as it is')
    .option('--tool-input <file>', 'approve it with these arguments: a JSON object, - for stdin')
    .option('--max-cost-usd <usd>', 'approve a pending budget with this total limit for the run')
    .addOption(
      new Option(
        '--reject',
        'reject the action; rejecting a pending budget ends the run',
      ).conflicts(['approve', 'toolInput', 'maxCostUsd']),
    )
    .option('--reason <text>', 'with --reject: the reason, which the agent sees')
    .addOption(new Option('--input <text>', 'the answer to a question').conflicts(others))
    .option(
      '--pending <id>',
      'only if the run waits for this request: the id in muster pending --json, or of one of its calls',
    )
    .addOption(
      new Option(
        '--all',
        'with --approve or --reject: decide all actions that the run waits for',
      ).conflicts(['toolInput', 'maxCostUsd', 'input', 'pending']),
    )
    .addOption(
      new Option(
        '--decisions <file>',
        'a decision for each of several calls: a JSON array as in the API, - for stdin',
      ).conflicts([...others, 'input', 'reason', 'all', 'pending']),
    )
}

async function readDecisions({
  decisions: file,
}: RespondOptions): Promise<Omit<CallDecision, 'pending_id'>[] | undefined> {
  if (file === undefined) return undefined
  const text = await readText(file, maxFileBytes)
  try {
    const decisions: unknown = parseAsWritten(text)
    if (Array.isArray(decisions)) return decisions
  } catch {}
  throw usageError(
    'Cannot respond to run: --decisions holds no JSON array of {"call_id", "action", …}',
  )
}

/** Binds each decision to the request that was shown. */
function bind(
  decisions: Omit<CallDecision, 'pending_id'>[],
  requests: Pending[],
): { decisions: CallDecision[] } {
  const idOf = (callId: string): string | undefined =>
    requests.find(({ call_id }) => call_id === callId)?.id
  return {
    decisions: decisions.map((one) => ({ pending_id: idOf(one.call_id) ?? '', ...one })),
  }
}

async function toAnswer(options: RespondOptions): Promise<RunAnswer | undefined> {
  const { approve, reject, reason, input, toolInput, maxCostUsd } = options
  if (reason !== undefined && reject === undefined) {
    throw usageError('Cannot respond to run: --reason goes with --reject')
  }
  if (input !== undefined) return { action: 'input', input }
  if (reject === true) return { action: 'reject', ...given({ reason }) }
  if (toolInput !== undefined) {
    const text = await readText(toolInput, maxFileBytes)
    return { action: 'approve', tool_input: parseArguments(text) }
  }
  if (maxCostUsd !== undefined) {
    const max_cost_usd = Number(maxCostUsd)
    if (max_cost_usd > 0) return { action: 'approve', max_cost_usd }
    throw usageError(
      `Cannot respond to run: --max-cost-usd is ${maxCostUsd}, expected US dollars, such as 2.5`,
    )
  }
  return approve === true ? { action: 'approve' } : undefined
}
