import { hash } from 'node:crypto'
import type { ServerContext } from '@modelcontextprotocol/server'
import { claimKeys, findReserved } from '../http/idempotency-store.ts'
import type { CreateRun, Run } from '../engine/wire/run.ts'
import { cannot } from '../errors.ts'
import { derivedId, idFromUuid, newId, uuidOf } from '../ids.ts'
import { startNow } from '../runs/start.ts'
import { findWorkflowTool } from '../workflows/exposure.ts'
import { contextOf, type Call } from './call.ts'

/** The `_meta` key by which a repeated call finds the run of the first. */
const idempotencyKey = 'muster/idempotencyKey'

const action = 'trigger run'

/**
 * Starts a run of the workflow with this tool, or finds that of an earlier call with the same key. Undefined if no
 * workflow has the tool.
 */
export async function startWorkflow(
  call: Call,
  name: string,
  args: Record<string, unknown>,
  { mcpReq: { _meta } }: ServerContext,
): Promise<Run | undefined> {
  const reading = contextOf(call, action)
  const tool = await findWorkflowTool(reading, name)
  if (tool === undefined) return undefined
  const body = tool.input_schema === null ? toInput(args) : { data: args }
  const key = readKey(_meta)
  const runId = key === undefined ? newId('run') : await reserve(call, key, { id: tool.id, args })
  const auditId = derivedId('aud', runId, 'run.triggered')
  const ctx = contextOf(call, action, { word: 'run.triggered', auditId })
  return startNow(ctx, runId, { workflowId: tool.id, body })
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
