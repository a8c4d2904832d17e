import { Option } from 'commander'
import type { RunAnswer } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import {
  alreadyAnswered,
  answerInTerminal,
  describeAnswered,
  pendingOf,
  sendAnswer,
} from '../pending/answer.ts'
import { given, type LocalCall, type Verbs } from '../noun.ts'
import { parseArguments } from '../pending/edit.ts'
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
}

const maxFileBytes = 1024 * 1024

export function addRespond({ local }: Verbs): void {
  const others = ['approve', 'toolInput', 'maxCostUsd', 'reject']
  local(
    'respond <run>',
    'answer the request that a run waits for; shows it and asks, unless the answer is given',
    async ({ options, out, connect }: LocalCall<RespondOptions>, id = '') => {
      const answer = await toAnswer(options)
      if (answer === undefined && !canAsk(out)) {
        throw usageError(
          'Cannot respond to run: there is no terminal to ask at; give --approve, --reject, --input, --tool-input or --max-cost-usd',
        )
      }
      const muster = await connect()
      const run = await muster.runs.retrieve(id)
      const pending = pendingOf(run)
      if ((options.pending ?? pending.id) !== pending.id) throw alreadyAnswered(id)
      if (answer !== undefined) return sendAnswer(muster, id, pending.id, answer)
      const answered = await answerInTerminal(muster, run)
      if (answered === undefined) {
        shell().exitCode = exitCodes.runWaits
        out.note(`Skipped; ${id} waits on.`)
      }
      return answered
    },
    describeAnswered,
  )
    .option('--approve', 'let the action be done as it is')
    .option('--tool-input <file>', 'approve it with these arguments: a JSON object, - for stdin')
    .option('--max-cost-usd <usd>', 'approve a pending budget: what the run may cost in all')
    .addOption(
      new Option('--reject', 'let it not be done; a pending budget ends the run').conflicts([
        'approve',
        'toolInput',
        'maxCostUsd',
      ]),
    )
    .option('--reason <text>', 'with --reject: the reason that the agent gets')
    .addOption(new Option('--input <text>', 'the answer to a question').conflicts(others))
    .option(
      '--pending <id>',
      'only if this is what the run waits for: the id in muster pending --json',
    )
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
