import {
  MusterError,
  type CallDecision,
  type Muster,
  type RespondedRun,
  type RunAnswer,
  type RunWithSteps,
} from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliError } from '../failure.ts'
import { clean, dim, type Output } from '../output.ts'
import { editArguments } from './edit.ts'
import { askChoice, askLine, canAsk } from './prompt.ts'
import { fitArguments, showPending, type Pending } from './show.ts'
import { programName, shell } from '../shell.ts'
import { watchPending } from './watch.ts'

type Answer = RunAnswer

const answeredBefore = ['run_not_waiting', 'pending_mismatch', 'call_decided']

/**
 * Answers the request that was shown, by its id. The API rejects the answer if another one is
 * waiting by now.
 */
export async function sendAnswer(
  muster: Muster,
  runId: string,
  answer: Parameters<Muster['runs']['respond']>[1],
): Promise<RespondedRun> {
  try {
    return await muster.runs.respond(runId, answer)
  } catch (error) {
    const isOver = error instanceof MusterError && answeredBefore.includes(error.code)
    if (!isOver) throw error
    throw alreadyAnswered(runId, error)
  }
}

export function alreadyAnswered(runId: string, cause?: unknown): CliError {
  return new CliError(
    exitCodes.error,
    'already_answered',
    `Someone else has answered, or the request has expired; nothing was changed. See: muster runs show ${runId}`,
    cause,
  )
}

export function describeAnswered({ id, status, approvals, decisions }: RespondedRun): string {
  if (status === 'failed') return `${id} has ended. See: ${programName()} runs show ${id}`
  if (status === 'waiting_input' && decisions !== undefined) {
    return `${decisions.length} decisions are recorded; ${id} waits for other people.`
  }
  return approvals === undefined
    ? `${id} continues. Watch it: ${programName()} runs watch ${id}`
    : `Approved by ${approvals.given} of ${approvals.required} people; ${id} waits for others.`
}

/**
 * For a followed run: asks if there is a terminal, else says how to answer. True if the run
 * continues.
 */
export function answerWhileFollowing(
  muster: Muster,
  out: Output,
): (run: RunWithSteps) => Promise<boolean> {
  return async (run) => {
    try {
      const answered = canAsk(out) ? await answerInTerminal(muster, run) : undefined
      if (answered !== undefined && answered.status !== 'waiting_input') return true
      if (answered !== undefined) {
        out.note(describeAnswered(answered))
        return false
      }
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'already_answered') throw error
      out.note(error.message)
      return true
    }
    out.note(`Answer it: ${programName()} respond ${run.id}`)
    return false
  }
}

/**
 * Asks in the terminal until an answer is accepted; undefined if the person skips. The question is
 * withdrawn when the request is answered elsewhere.
 */
export async function answerInTerminal(
  muster: Muster,
  run: RunWithSteps,
): Promise<RespondedRun | undefined> {
  const pending = pendingOf(run)
  if (pending.calls === undefined) shell().stderr.write(`${showPending(pending)}\n`)
  using watch = watchPending(muster, run)
  const { gone } = watch
  for (;;) {
    const ask = pending.calls === undefined ? askOne : askAll
    const answer = await ask(run, pending, gone)
    if (gone.aborted) throw alreadyAnswered(run.id)
    if (answer === undefined) return undefined
    try {
      return await sendAnswer(muster, run.id, answer)
    } catch (error) {
      if (!(error instanceof MusterError) || error.status !== 400) throw error
      shell().stderr.write(`${clean(error.message)}\n`)
    }
  }
}

async function askOne(
  run: RunWithSteps,
  pending: Pending,
  gone: AbortSignal,
): Promise<(Answer & { pending_id: string }) | undefined> {
  const ask = { input: askInput, approval: askDecision(canEdit(run, pending)), budget: askCost }[
    pending.kind
  ]
  const answer = await ask(pending, gone)
  return answer && { ...answer, pending_id: pending.id }
}

/**
 * Asks about each of several calls, then sends all decisions in one request. Skipped calls keep
 * waiting.
 */
async function askAll(
  run: RunWithSteps,
  pending: Pending,
  gone: AbortSignal,
): Promise<{ decisions: CallDecision[] } | undefined> {
  const requests = requestsOf(pending)
  const decisions: CallDecision[] = []
  for (const [place, request] of requests.entries()) {
    const head = dim(`${place + 1} of ${requests.length}`, shell().stderr)
    shell().stderr.write(`${head}\n${showPending(request)}\n`)
    const answer = await askOne(run, request, gone)
    if (gone.aborted) return undefined
    if (answer !== undefined) decisions.push({ ...answer, call_id: request.call_id ?? '' })
  }
  return decisions.length === 0 ? undefined : { decisions }
}

/** The requests of a run, each call in the form of a single one. */
export function requestsOf(pending: Pending): Pending[] {
  const { calls, step_order, role, approvers, created_at, expires_at } = pending
  const shared = { step_order, role, approvers, created_at, expires_at }
  return calls === undefined ? [pending] : calls.map((call) => ({ ...call, ...shared }))
}

export function pendingOf({ id, status, pending }: RunWithSteps): Pending {
  if (pending !== null) return pending
  throw new CliError(
    exitCodes.error,
    'run_not_waiting',
    `Cannot respond to run: ${id} is ${status}, not waiting_input`,
  )
}

/** A call that may have been made can only be repeated unchanged. */
function canEdit({ steps }: RunWithSteps, { call_id: id }: Pending): boolean {
  const calls = steps.flatMap((step) => step.tool_calls)
  return calls.find((call) => call.id === id)?.status !== 'unknown'
}

async function askInput(_: Pending, gone: AbortSignal): Promise<Answer | undefined> {
  const input = await askLine('Answer (nothing to skip): ', { signal: gone })
  return input === undefined || input === '' ? undefined : { action: 'input', input }
}

async function askCost(_: Pending, gone: AbortSignal): Promise<Answer | undefined> {
  switch (await askChoice('[a]pprove, [r]eject, [s]kip?', ['approve', 'reject', 'skip'], gone)) {
    case 'approve': {
      const max = await askLine('New total limit for the run, in USD: ', { signal: gone })
      return max === undefined ? undefined : { action: 'approve', max_cost_usd: Number(max) }
    }
    case 'reject':
      return askRejection('Reason (may be empty): ', gone)
    default:
      return undefined
  }
}

async function askRejection(question: string, gone: AbortSignal): Promise<Answer | undefined> {
  const reason = await askLine(question, { signal: gone })
  if (reason === undefined) return undefined
  return { action: 'reject', ...(reason === '' ? {} : { reason }) }
}

function askDecision(
  mayEdit: boolean,
): (pending: Pending, gone: AbortSignal) => Promise<Answer | undefined> {
  const choices = ['approve', 'reject', ...(mayEdit ? (['edit'] as const) : []), 'skip'] as const
  const question = `${choices.map((word) => `[${word[0]}]${word.slice(1)}`).join(', ')}?`
  return async ({ tool_input: proposed = {} }, gone) => {
    let edited: Record<string, unknown> | undefined
    for (;;) {
      switch (await askChoice(question, choices, gone)) {
        case 'approve':
          return { action: 'approve', ...(edited === undefined ? {} : { tool_input: edited }) }
        case 'reject':
          return askRejection('Reason, for the agent (may be empty): ', gone)
        case 'edit':
          edited = await editAgain(proposed, edited)
          break
        default:
          return undefined
      }
    }
  }
}

/** The arguments after an edit, shown as they would be approved; unchanged if the edit failed. */
async function editAgain(
  proposed: Record<string, unknown>,
  edited: Record<string, unknown> | undefined,
): Promise<Record<string, unknown> | undefined> {
  try {
    const now = await editArguments(edited ?? proposed)
    const isChanged = JSON.stringify(now) !== JSON.stringify(proposed)
    shell().stderr.write(`${isChanged ? 'Changed to' : 'Unchanged'}\n${fitArguments(now)}\n`)
    return isChanged ? now : undefined
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    shell().stderr.write(`${clean(error.message)}\n`)
    return edited
  }
}
