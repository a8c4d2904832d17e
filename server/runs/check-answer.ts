import { openTools } from '../connectors/open-tools.ts'
import type { Context } from '../context.ts'
import type { PendingRequest } from '../engine/run/pending.ts'
import { cannot, type DomainError, type ErrorCode } from '../errors.ts'
import { checkInput } from '../tools/check-input.ts'
import { findOwnTool } from '../tools/own-tools.ts'
import type { RespondToRun } from './pending-schema.ts'
import type { Run } from './schema.ts'

const kindOf = { input: 'input', approve: 'approval', reject: 'approval' } as const

/** An answer without what is empty. */
export type GivenAnswer = { action: RespondToRun['action'] } & {
  [Field in Exclude<keyof RespondToRun, 'action'>]?: NonNullable<RespondToRun[Field]>
}

/** Null and "" count as absent. */
export function withoutEmpty(given: RespondToRun): GivenAnswer {
  const fields = Object.entries(given).filter(([, value]) => value !== null && value !== '')
  return Object.fromEntries(fields) as GivenAnswer
}

/** What the run waits for, when the answer fits it. */
export function checkAnswer(
  run: { status: Run['status']; pending: PendingRequest | null },
  answer: GivenAnswer,
): PendingRequest {
  const { pending } = run
  if (pending === null) {
    throw cannotRespond('run_not_waiting', `it is ${run.status}, not waiting_input`)
  }
  if (answer.pending_id !== undefined && answer.pending_id !== pending.id) {
    const why = `it waits for ${pending.id}, not for ${answer.pending_id}`
    throw cannotRespond('pending_mismatch', why)
  }
  if (kindOf[answer.action] !== pending.kind) {
    const accepted = pending.kind === 'input' ? 'input' : 'approve or reject'
    const why = `action is ${answer.action}, expected ${accepted} for a pending ${pending.kind}`
    throw cannotRespond('action_mismatch', why, 'action')
  }
  if (answer.action === 'input' && answer.input === undefined) {
    const why = 'input is missing, it is required when action is input'
    throw cannotRespond('required', why, 'input')
  }
  if (answer.action !== 'input' && answer.input !== undefined) {
    const why = `input goes with the action input, not with ${answer.action}`
    throw cannotRespond('invalid_value', why, 'input')
  }
  if (answer.action !== 'approve' && answer.tool_input !== undefined) {
    throw cannotRespond('invalid_value', 'tool_input goes with approve only', 'tool_input')
  }
  return pending
}

/** Edited arguments must fit the action, in the bytes that a call may have which a person is asked about. */
export async function checkEdit(
  ctx: Context,
  pending: PendingRequest,
  { tool_input: input }: GivenAnswer,
): Promise<void> {
  const [tool = findOwnTool(pending.tool)] = await openTools(ctx, ctx.accountId, [
    pending.tool ?? '',
  ])
  const why =
    tool === undefined
      ? `${pending.tool} is no longer connected`
      : checkInput({ ...tool, maxInputBytes: undefined }, input)
  if (why === undefined) return
  // The reason begins with the path of the argument, where one argument is wrong.
  const [path = ''] = why.split(' ', 1)
  const isArgument = Object.hasOwn(input ?? {}, path.split('.', 1)[0] ?? '')
  throw cannotRespond(
    'invalid_arguments',
    `tool_input: ${why}`,
    isArgument ? `tool_input.${path}` : 'tool_input',
  )
}

export function cannotRespond(code: ErrorCode, why: string, param?: string): DomainError {
  return cannot({ action: 'respond to run' }, code, why, param === undefined ? {} : { param })
}
