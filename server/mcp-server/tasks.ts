import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Context } from '../context.ts'
import { isTerminal } from '../engine/run/run.ts'
import type { Run } from '../engine/wire/run.ts'
import { DomainError } from '../errors.ts'
import { cancelRun } from '../runs/cancel.ts'
import { handleOf, resultOf, runKey, wordsOf } from './answers.ts'
import { contextOf, type Call } from './call.ts'
import { readRun } from './wait-for-run.ts'

/**
 * The extension `io.modelcontextprotocol/tasks`: a call whose run does not end within a second is answered with a task,
 * if the request declares the extension. A task is its run under the run's id, so nothing about it is stored. A run that
 * waits for a person asks the client to open the request's page, if the client declares that; only the page, or a tool,
 * answers it.
 */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** After this time, a call is answered with a task. */
export const taskAfterSeconds = 1

const pollIntervalMs = 2_000

interface Capabilities {
  extensions?: Record<string, unknown>
  elicitation?: { url?: object }
}

function capabilitiesOf({ mcpReq: { envelope } }: ServerContext): Capabilities {
  const declared: Record<string, unknown> = { ...envelope }
  return declared[CLIENT_CAPABILITIES_META_KEY] ?? {}
}

export function takesTasks(mcp: ServerContext): boolean {
  return capabilitiesOf(mcp).extensions?.[tasksExtension] !== undefined
}

/** What `tools/call` answers instead of a result. */
export async function createdTask(call: Call, run: Run, mcp: ServerContext): Promise<Result> {
  const { inputRequests: _, ...task } = await unfinished(contextOf(call, 'call tool'), run, mcp)
  return { resultType: 'task', ...task }
}

/** `tasks/get` */
export async function getTask(call: Call, taskId: string, mcp: ServerContext): Promise<Result> {
  refuseOthers(mcp)
  const ctx = contextOf(call, 'read task')
  const run = await known(taskId, () => readRun(call, ctx, taskId))
  if (run.error_code === 'cancelled') return base(ctx, run, 'cancelled')
  if (!isTerminal(run.status)) return unfinished(ctx, run, mcp)
  const result = { resultType: 'complete', ...(await resultOf(ctx, run)) }
  return { ...base(ctx, run, 'completed'), result }
}

/** `tasks/update`: that the client has shown the page changes nothing; what a person does there counts. */
export async function updateTask(call: Call, taskId: string, mcp: ServerContext): Promise<Result> {
  refuseOthers(mcp)
  const ctx = contextOf(call, 'update task')
  await known(taskId, () => readRun(call, ctx, taskId))
  return {}
}

/** `tasks/cancel` */
export async function cancelTask(call: Call, taskId: string, mcp: ServerContext): Promise<Result> {
  refuseOthers(mcp)
  const ctx = contextOf(call, 'cancel run', { word: 'run.cancelled' })
  await known(taskId, () => cancelRun(ctx, taskId))
  return {}
}

function refuseOthers(mcp: ServerContext): void {
  if (takesTasks(mcp)) return
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  })
}

async function known<T>(taskId: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'not_found') throw error
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Task not found: ${taskId.slice(0, 100)}`,
    )
  }
}

/** A task whose run goes on, or waits for a person. */
async function unfinished(
  ctx: Pick<Context, 'reads' | 'accountId' | 'publicUrl'>,
  run: Run,
  mcp: ServerContext,
): Promise<Result> {
  const handle = handleOf(ctx, run)
  const statusMessage = await wordsOf(ctx, run, handle)
  const asked = handle.pending
  if (asked === undefined || capabilitiesOf(mcp).elicitation?.url === undefined) {
    return { ...base(ctx, run, 'working'), statusMessage }
  }
  const params = { mode: 'url', url: asked.url, message: asked.prompt }
  return {
    ...base(ctx, run, 'input_required'),
    statusMessage,
    inputRequests: { [asked.pending_id]: { method: 'elicitation/create', params } },
  }
}

function base(
  ctx: { publicUrl: string },
  run: Run,
  status: 'working' | 'input_required' | 'completed' | 'cancelled',
): Result {
  const { id, pending, created_at: created, started_at: started, finished_at: finished } = run
  const { url, status: runStatus } = handleOf(ctx, run)
  return {
    taskId: id,
    status,
    createdAt: created.toISOString(),
    lastUpdatedAt: (finished ?? pending?.created_at ?? started ?? created).toISOString(),
    ttlMs: null,
    pollIntervalMs,
    _meta: { [runKey]: { id, status: runStatus, url } },
  }
}
