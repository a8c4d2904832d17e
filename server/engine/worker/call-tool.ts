import type { Logger } from 'pino'
import type { Database, Transaction } from '../../db/client.ts'
import { DomainError } from '../../errors.ts'
import { mailAction, type CallingRun, type Tool, type ToolResult } from '../../tools/contract.ts'
import { begin, refuse, toolEvent, type ToolCall } from '../run/ledger.ts'
import { startEvents } from '../run/requests.ts'
import type { LedgerEntry } from '../journal/calls.ts'
import { limitTime } from '../../tools/limit-time.ts'
import { takeMails } from '../safety/quotas.ts'
import { boundedOutput, maxRunOutputBytes, messages } from '../run/messages.ts'
import type { CallSite } from './settle-calls.ts'

/** How a tool call goes out: the ledger allows it, then it is made. */

export const isMail = ({ tool }: Pick<ToolCall, 'tool'>): boolean => tool === mailAction

/**
 * Starts approved calls at the given time, and returns what to write about it. Those that are `forbidden` by now are refused. Emails are
 * counted, so their calls must be written in the same transaction; emails beyond the account's daily limit are refused.
 */
export async function beginCalls(
  database: Database | Transaction,
  { fence, step, box, log, port }: Pick<CallSite, 'fence' | 'step' | 'box' | 'log' | 'port'>,
  ready: ToolCall[],
  forbidden: ReadonlyMap<string, string>,
  at: Date,
): Promise<Pick<LedgerEntry, 'begun' | 'heldBack' | 'events'>> {
  const refused = ready.filter(({ id }) => forbidden.has(id))
  for (const call of refused) Object.assign(call, refuse(call, forbidden.get(call.id) ?? ''))
  const mails = ready.filter((call) => isMail(call) && !forbidden.has(call.id))
  if (mails.length > 0) {
    const { accountId, runId } = fence
    const { mails_a_day: own } = await port.readPolicies(database, accountId)
    const { taken, limit } = await takeMails(database, accountId, mails.length, own)
    const overLimit = mails.slice(taken)
    refused.push(...overLimit)
    for (const call of overLimit) {
      Object.assign(call, refuse(call, messages.tooManyMails(limit)))
      log.warn({ accountId, runId, callId: call.id, limit }, 'mail refused: mails_a_day is reached')
    }
  }
  const going = ready.filter((call) => !refused.includes(call))
  for (const call of going) {
    Object.assign(call, { ...begin(call), timesMade: call.timesMade + 1 })
  }
  return {
    begun: going.map(({ id }) => id),
    heldBack: refused,
    events: [
      ...startEvents(fence.runId, { step, box }, going, at),
      ...refused.map((call) => toolEvent(fence.runId, 'tool.completed', step, call)),
    ],
  }
}

/** A tool that ignores its abort signal is abandoned after this time. */
const graceMs = 2_000

/**
 * Makes one call that the ledger has started. Throws only `files_unavailable`: a tool that hangs or
 * throws has an unknown outcome, or a failed one if it only reads.
 */
export async function callTool(
  tool: Tool,
  call: Pick<ToolCall, 'id' | 'input' | 'sensitive' | 'decision'>,
  { signal, log, timeoutMs, collected, run }: CallRoom,
): Promise<ToolResult> {
  using time = limitTime(timeoutMs)
  const ends = AbortSignal.any([signal, time.signal])
  const result: ToolResult = await Promise.race([
    tool.call(call.input ?? {}, {
      idempotencyKey: call.id,
      signal: ends,
      onProgress: time.extend,
      ...(run && { run }),
    }),
    leftBehind(ends).then(() => lost(call, reasonOf(ends))),
  ]).catch((error: unknown) => {
    if (isUnavailable(error)) throw error
    log.error({ err: error, callId: call.id, tool: tool.id }, 'tool failed')
    // Without its secret the call cannot have been sent.
    if (error instanceof DomainError && error.code === 'secret_unreadable') {
      return { status: 'failed' as const, output: error.message }
    }
    return lost(call, 'the tool broke down')
  })
  // A read has no effect that could be in doubt.
  const status = result.status === 'unknown' && !call.sensitive ? 'failed' : result.status
  const output = withEdit(call, result.output)
  const { file } = result
  return {
    status,
    output: boundedOutput(output, maxRunOutputBytes - collected.bytes),
    ...(file && { file }),
  }
}

/** File contents are unavailable for now: nothing was done, and the call will be made again. */
export function isUnavailable(error: unknown): error is DomainError {
  return error instanceof DomainError && error.code === 'files_unavailable'
}

/** Adds a note for the agent, which does not know that a person edited the arguments. */
export function withEdit(
  { decision, input }: Pick<ToolCall, 'decision' | 'input'>,
  output: string,
): string {
  return decision === 'edited' ? messages.edited(input, output) : output
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error ? reason.message : 'the run ended before it answered'
}

interface CallRoom {
  run?: CallingRun
  signal: AbortSignal
  log: Logger
  timeoutMs: number
  /** Bytes of all tool results of the run so far. */
  collected: { bytes: number }
}

function lost({ sensitive }: Pick<ToolCall, 'sensitive'>, why: string): ToolResult {
  return { status: sensitive ? 'unknown' : 'failed', output: `The call failed: ${why}.` }
}

function leftBehind(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wait = (): void => void setTimeout(resolve, graceMs).unref()
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait, { once: true })
  })
}
