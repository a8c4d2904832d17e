import { hash } from 'node:crypto'
import type { ServerContext } from '@modelcontextprotocol/server'
import { claimKeys, findReserved } from '../http/idempotency-store.ts'
import type { CreateRun } from '../engine/wire/run.ts'
import { cannot } from '../errors.ts'
import { derivedId, idFromUuid, newId, uuidOf } from '../ids.ts'
import { findProblem } from '../runs/check-request.ts'
import { startNow } from '../runs/start.ts'
import { sendMessage } from '../sources/threads/messages.ts'
import { createThread } from '../sources/threads/threads.ts'
import { findWorkflowTool } from '../workflows/exposure.ts'
import { contextOf, type Call } from './call.ts'

/** The `_meta` key by which a repeated call finds the run of the first. */
const idempotencyKey = 'muster/idempotencyKey'

const action = 'trigger run'

/** What a call has started: a run, or a message whose turn is a run. */
export type Started = { runId: string } | { runId: string; messageId: string; threadId: string }

/**
 * Starts a run of the workflow with this tool, or finds that of an earlier call with the same key. With `thread`, the
 * run is a turn of that conversation. Undefined if no workflow has the tool.
 */
export async function startWorkflow(
  call: Call,
  name: string,
  { thread, ...args }: Record<string, unknown>,
  { mcpReq: { _meta } }: ServerContext,
): Promise<Started | undefined> {
  const tool = await findWorkflowTool(contextOf(call, action), name)
  if (tool === undefined) return undefined
  const body = tool.input_schema === null ? toInput(args) : { data: args }
  const key = readKey(_meta)
  const asked = { id: tool.id, args: { ...args, ...(thread !== undefined && { thread }) } }
  const id = key === undefined ? newId('run') : await reserve(call, key, asked)
  if (thread !== undefined) {
    if (!tool.takes_threads)
      throw cannot({ action }, 'unknown_field', 'thread is no parameter of the tool')
    return sendToThread(call, { workflowId: tool.id, thread, body, id: uuidOf(id) })
  }
  const auditId = derivedId('aud', id, 'run.triggered')
  const ctx = contextOf(call, action, { word: 'run.triggered', auditId })
  await startNow(ctx, id, { workflowId: tool.id, body })
  return { runId: id }
}

interface ToSend {
  workflowId: string
  thread: unknown
  body: CreateRun
  /** UUID of the message, the same for repeats. */
  id: string
}

async function sendToThread(
  call: Call,
  { workflowId, thread, body, id }: ToSend,
): Promise<Started> {
  if (typeof thread !== 'string' || thread.length < 1 || thread.length > 200) {
    const why = 'thread is no name of 1 to 200 characters'
    throw cannot({ action }, 'invalid_value', why, { param: 'thread' })
  }
  const problem = findProblem(body)
  if (problem !== undefined)
    throw cannot({ action }, problem.code, `${problem.field}: ${problem.why}`)
  const creating = contextOf(call, 'create thread', { word: 'thread.created' })
  const asked = { workflow_id: workflowId, key: thread }
  const { item } = await createThread(creating, newId('thr'), asked)
  const sending = contextOf(call, 'send message', { word: 'thread.message_sent' })
  let runId: string | undefined
  const announce = async (reserved: string): Promise<void> => {
    runId = reserved
  }
  const message = await sendMessage(sending, item.id, idFromUuid('msg', id), body, announce)
  return { runId: message.run_id ?? runId ?? '', messageId: message.id, threadId: item.id }
}

function toInput(args: Record<string, unknown>): CreateRun {
  const { input, ...others } = args
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw cannot({ action }, 'unknown_field', `${unknown} is no parameter of the tool`)
  }
  if (typeof input === 'string') return { input }
  throw cannot({ action }, 'required', 'input is missing, expected a text', { param: 'input' })
}

function readKey(meta: ServerContext['mcpReq']['_meta']): string | undefined {
  const key = meta?.[idempotencyKey]
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key
  const why = `_meta["${idempotencyKey}"] is not a text of 1 to 255 characters of ASCII`
  throw cannot({ action }, 'invalid_format', why)
}

/** The id of the run that calls with this key and these arguments have in common, for 24 hours. */
async function reserve(
  { request: { ctx } }: Call,
  key: string,
  { id, args }: { id: string; args: Record<string, unknown> },
): Promise<string> {
  const { accountId, database } = ctx
  const asked = {
    accountId,
    key,
    route: `tools/call ${id}`,
    bodyHash: hash('sha256', JSON.stringify(sorted(args)), 'buffer'),
    reserved: uuidOf(newId('run')),
  }
  const [claimed] = await claimKeys(database, [asked], leaseMs)
  if (claimed !== undefined) return idFromUuid('run', claimed)
  const found = await findReserved(database, asked)
  if (found === undefined) {
    const why = 'another call with this key has just been forgotten, try again'
    throw cannot({ action }, 'idempotency_in_progress', why)
  }
  if (found.isSame) return idFromUuid('run', found.reserved)
  const why = `_meta["${idempotencyKey}"] was used with other arguments, use a new key`
  throw cannot({ action }, 'idempotency_key_reused', why)
}

/** Repeats need not wait for the first call: both find the same run. */
const leaseMs = 1_000

/** The order of its keys does not make another value. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
