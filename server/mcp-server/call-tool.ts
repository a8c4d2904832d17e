import {
  ProtocolError,
  ProtocolErrorCode,
  type JSONRPCRequest,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isTerminal } from '../engine/run/run.ts'
import { cannot, type DomainError } from '../errors.ts'
import { readError } from '../http/errors.ts'
import { cancelRun } from '../runs/cancel.ts'
import { resultOf, text, unbegunTurn } from './answers.ts'
import { contextOf, type Call } from './call.ts'
import { answerInbox, listInbox } from './inbox.ts'
import { mostWaitSeconds, usualWaitSeconds } from './list-tools.ts'
import { startWorkflow } from './run-workflow.ts'
import { createdTask, takesTasks, taskAfterSeconds } from './tasks.ts'
import { waitForRun, waitForTurn } from './wait-for-run.ts'

/** What a call of a tool asks for. */
interface Asked {
  name: string
  args: Record<string, unknown>
}

/**
 * Calls a tool. What the caller can mend, such as an argument that does not fit, is a result with `isError`, because a
 * model reads results and not protocol errors.
 */
export async function callTool(
  call: Call,
  { params }: JSONRPCRequest,
  mcp: ServerContext,
): Promise<Result> {
  const asked = readAsked(params)
  try {
    return await dispatch(call, asked, mcp)
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    return failureOf(readError(error, call.request))
  }
}

function failureOf({ message, code, param, retryAfterSeconds: seconds }: DomainError): Result {
  const after = seconds === undefined ? '' : ` (try again in ${seconds} s)`
  const error = { code, ...(param !== undefined && { param }) }
  return { content: [text(message + after)], isError: true, _meta: { 'muster/error': error } }
}

function readAsked(params: JSONRPCRequest['params']): Asked {
  const { name, arguments: args = {} } = (params ?? {}) as { name?: unknown; arguments?: unknown }
  if (typeof name !== 'string') throw invalid('name is missing, expected the name of a tool')
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw invalid('arguments is no object')
  }
  return { name, args: args as Record<string, unknown> }
}

function invalid(why: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid tools/call: ${why}`)
}

async function dispatch(call: Call, { name, args }: Asked, mcp: ServerContext): Promise<Result> {
  const action = `call ${name.slice(0, 64)}`
  switch (name) {
    case 'run_status':
    case 'run_wait': {
      const known = name === 'run_wait' ? ['run_id', 'wait_seconds'] : ['run_id']
      const { run_id: runId = '' } = readTexts(action, args, ['run_id'], known)
      const ctx = contextOf(call, action)
      const seconds = name === 'run_wait' ? readWait(action, args['wait_seconds']) : 0
      return resultOf(ctx, await waitForRun(call, ctx, runId, { seconds, mcp }))
    }
    case 'run_cancel': {
      const { run_id: runId = '' } = readTexts(action, args, ['run_id'], ['run_id'])
      const ctx = contextOf(call, 'cancel run', { word: 'run.cancelled' })
      const { status } = await cancelRun(ctx, runId)
      const url = `${ctx.publicUrl}/runs/${runId}`
      const structuredContent = { run_id: runId, status, url }
      return {
        content: [text(`The run is ${status === 'failed' ? 'cancelled' : status}.`)],
        structuredContent,
      }
    }
    case 'inbox_list':
      readTexts(action, args, [], [])
      return listInbox(call)
    case 'inbox_answer': {
      const known = ['pending_id', 'action', 'input', 'reason']
      const given = readTexts(action, args, ['pending_id', 'action'], known)
      if (!['input', 'approve', 'reject'].includes(given['action'] ?? '')) {
        const why = `action is ${given['action']}, expected input, approve or reject`
        throw cannot({ action }, 'invalid_value', why, { param: 'action' })
      }
      return answerInbox(call, given as unknown as Parameters<typeof answerInbox>[1])
    }
    default:
      return runWorkflow(call, { name, args }, mcp)
  }
}

async function runWorkflow(call: Call, { name, args }: Asked, mcp: ServerContext): Promise<Result> {
  const action = 'trigger run'
  const { wait_seconds: given, ...rest } = args
  const asked = readWait(action, given)
  const started = await startWorkflow(call, name, rest, mcp)
  if (started === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`)
  }
  const ctx = contextOf(call, action)
  const mayBeTask = takesTasks(mcp)
  const seconds = mayBeTask ? taskAfterSeconds : asked
  const { runId } = started
  if ('messageId' in started) {
    const turn = await waitForTurn(call, ctx, started.messageId, seconds)
    if (turn !== 'begun') return unbegunTurn(ctx, started, turn)
  }
  const waited = await waitForRun(call, ctx, runId, { seconds, mcp })
  if (mayBeTask && !isTerminal(waited.status)) return createdTask(call, waited, mcp)
  return resultOf(ctx, waited)
}

const usualLength = 100
const lengths: Record<string, number> = { input: 16_000, reason: 2_000 }

function readTexts(
  action: string,
  args: Record<string, unknown>,
  required: string[],
  known: string[],
): Record<string, string> {
  for (const [param, value] of Object.entries(args)) {
    if (!known.includes(param)) {
      throw cannot({ action }, 'unknown_field', `${param} is no parameter of the tool`, { param })
    }
    if (param === 'wait_seconds') continue
    if (typeof value !== 'string') {
      throw cannot({ action }, 'invalid_type', `${param} is no text, expected one`, { param })
    }
    const maxLength = lengths[param] ?? usualLength
    if (value.length <= maxLength) continue
    const why = `${param} has ${value.length} characters, at most ${maxLength}`
    throw cannot({ action }, 'string_too_long', why, { param })
  }
  const missing = required.find((param) => args[param] === undefined)
  if (missing === undefined) return args as Record<string, string>
  throw cannot({ action }, 'required', `${missing} is missing`, { param: missing })
}

function readWait(action: string, wait: unknown): number {
  if (wait === undefined) return usualWaitSeconds
  if (Number.isInteger(wait) && (wait as number) >= 0 && (wait as number) <= mostWaitSeconds) {
    return wait as number
  }
  const why = `wait_seconds is ${JSON.stringify(wait)?.slice(0, 100)}, expected a whole number from 0 to ${mostWaitSeconds}`
  throw cannot({ action }, 'invalid_value', why, { param: 'wait_seconds' })
}
