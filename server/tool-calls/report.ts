import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import {
  closeRequest,
  findRequestedRun,
  lockRequest,
  reopenRequest,
  restartRun,
  wakeRequester,
  type StoredRequest,
} from '../engine/journal/requests/requests.ts'
import { lockRun, resumeRun, type LockedRun } from '../engine/journal/respond.ts'
import { requestsOf, restOf } from '../engine/run/case.ts'
import { complete, toolEvent } from '../engine/run/ledger.ts'
import { boundedOutput, maxRunOutputBytes } from '../engine/run/messages.ts'
import {
  hashReport,
  judgeReport,
  textOfReport,
  type Judgement,
  type Report,
} from '../engine/run/requests.ts'
import type { RunKey } from '../engine/run/run.ts'
import { runEvent, type RunEvent } from '../engine/run/step.ts'
import { withEdit } from '../engine/worker/call-tool.ts'
import { cannot, notFound, type DomainError } from '../errors.ts'
import { writeFile, type WrittenFile } from '../files/for-agents/write-file.ts'
import { retrieveCall } from './read.ts'
import type { ReportResult, RequestedCall } from './schema.ts'

const maxOutputBytes = 1024 * 1024
/** A longer output is a file of the run. */
const maxShownBytes = 64 * 1024

/**
 * Records what a worker reports about a call, in one transaction with the ledger, the run's event and its job, under
 * the lock of the run. The first report counts; `judgeReport` says what becomes of others.
 */
export async function reportResult(
  ctx: Context,
  id: string,
  body: ReportResult,
): Promise<RequestedCall> {
  const report = readReport(ctx, body)
  const found = await findRequestedRun(ctx.database, ctx.accountId, id)
  if (found === undefined) throw notFound(ctx, 'tool call', id)
  const file = await storeLong(ctx, id, report, found)
  const asked = { report, lease: body.lease, key: found, step: found.step, file }
  let events: RunEvent[] = []
  try {
    events = await ctx.database
      .transaction()
      .execute((transaction) => record(transaction, ctx, id, asked))
  } catch (error) {
    if (!(error instanceof Repeated)) throw error
  } finally {
    await file?.drop().catch((error: unknown) => ctx.log.warn({ err: error }, 'not dropped'))
  }
  if (events.length > 0) {
    ctx.queue.wake()
    ctx.feed.changed(found.runId)
    ctx.acknowledged.add(found, events)
  }
  return retrieveCall(ctx, id)
}

/** Rolls the transaction back: the report is recorded already. */
class Repeated extends Error {}

function readReport(ctx: Context, body: ReportResult): Report {
  const { error } = body
  const hasOutput = 'output' in body
  if (error === undefined && !hasOutput) {
    throw cannot(ctx, 'required', 'output is missing, or error', { param: 'output' })
  }
  if (error !== undefined && hasOutput) {
    throw cannot(ctx, 'invalid_value', 'error does not go with output', { param: 'error' })
  }
  if (error !== undefined) {
    return { kind: 'error', message: error.message, isRetryable: error.retryable === true }
  }
  const bytes = Buffer.byteLength(JSON.stringify(body.output))
  if (bytes > maxOutputBytes) {
    const why = `output has ${bytes} bytes of JSON, at most ${maxOutputBytes}`
    throw cannot(ctx, 'body_too_large', why, { param: 'output' })
  }
  return { kind: 'output', output: body.output }
}

type Step = { position: number; role: string }

/** Stores the content of a long output; undefined if it is short. */
async function storeLong(
  ctx: Context,
  id: string,
  report: Report,
  { step, ...key }: RunKey & { step: Step },
): Promise<WrittenFile | undefined> {
  const content = textOfReport(report)
  if (report.kind === 'error' || Buffer.byteLength(content) <= maxShownBytes) return undefined
  const { status } = await retrieveCall(ctx, id)
  if (!['requested', 'claimed', 'unknown'].includes(status)) return undefined
  const ending = typeof report.output === 'string' ? 'txt' : 'json'
  const name = `${id}.${ending}`
  return writeFile(ctx, { ...key, step }, { id, input: { name, content } })
}

interface Asked {
  report: Report
  lease: string | undefined
  key: RunKey
  step: Step
  file: WrittenFile | undefined
}

/** Returns the events of the run. */
async function record(
  transaction: Transaction,
  ctx: Context,
  id: string,
  { report, lease, key, step, file }: Asked,
): Promise<RunEvent[]> {
  // Locks the account, which comes before its runs.
  const kept = await file?.keep(transaction)
  const locked = await lockRun(transaction, key)
  const request = await lockRequest(transaction, ctx.accountId, id)
  if (locked === undefined || request === undefined) throw notFound(ctx, 'tool call', id)
  const judged = judge(locked, request, report, lease)
  if (judged.kind === 'repeated') throw new Repeated()
  if (judged.kind === 'refused')
    throw refusal(ctx, await retrieveCall({ ...ctx, database: transaction }, id), judged.code)
  const facts = { run_id: request.runId, name: request.name }
  if (judged.kind === 'again') {
    if (report.kind === 'error') {
      const after = { ...facts, status: 'requested', error: report.message }
      await recordAudit(transaction, ctx, { objectId: id, after })
    }
    await reopenRequest(transaction, ctx.accountId, request)
    return request.status === 'unknown' ? endDoubt(transaction, key, locked, request) : []
  }
  const status = report.kind === 'output' ? 'succeeded' : 'failed'
  const left = maxRunOutputBytes - request.toolBytes
  const text = boundedOutput(withEdit(request.call, textOfReport(report)), left)
  const note =
    kept?.status === 'succeeded' ? `\n\n[The whole output is a file. ${kept.output}]` : ''
  const state = complete(request.call, { status, output: text + note }, { asksPeople: false })
  const completed = toolEvent(key.runId, 'tool.completed', step, { ...request.call, status })
  const events = [...(kept?.events ?? []), completed]
  await closeRequest(transaction, ctx.accountId, request, {
    ...state,
    status,
    report: { ...shownOf(report), hash: hashReport(report) },
    events,
  })
  await recordAudit(transaction, ctx, { objectId: id, after: { ...facts, status } })
  if (request.status === 'unknown') {
    return [...events, ...(await endDoubt(transaction, key, locked, request))]
  }
  if (locked.status === 'running') await wakeRequester(transaction, key)
  return events
}

function judge(
  locked: LockedRun,
  request: StoredRequest,
  report: Report,
  lease: string | undefined,
): Judgement {
  const { call } = request
  const isUndecided = call.status === 'unknown' && call.output === null
  const isRunOver = locked.status === 'failed' && request.status === 'unknown'
  return judgeReport({ ...request, isUndecided, isRunOver }, report, lease)
}

/** What is shown of a report: of a long output its head, as text. */
function shownOf(report: Report): { output?: unknown; error?: string } {
  if (report.kind === 'error') return { error: report.message }
  const text = textOfReport(report)
  if (Buffer.byteLength(text) <= maxShownBytes) return { output: report.output }
  return { output: boundedOutput(text) }
}

/** The outcome of a call is known before a person has decided about it: nobody is asked any more. */
async function endDoubt(
  transaction: Transaction,
  key: RunKey,
  { status, pending }: LockedRun,
  { id }: StoredRequest,
): Promise<RunEvent[]> {
  if (status !== 'waiting_input' || pending === null) {
    await restartRun(transaction, key)
    return []
  }
  const asked = requestsOf(pending).find(({ call_id: callId }) => callId === id)
  if (asked === undefined) return []
  const data = { pending_id: asked.id, call_id: id, decision: 'withdrawn', decided_by: null }
  const event = runEvent(key.runId, 'run.resumed', data, asked.id)
  const rest = restOf(pending, new Map([[asked.id, 'decided']]))
  await resumeRun(transaction, key, [event], rest)
  return [event]
}

function refusal(
  ctx: Context,
  { status, output, error, expires_at: end }: RequestedCall,
  code: (Judgement & { kind: 'refused' })['code'],
): DomainError {
  const shown = error ?? JSON.stringify(output ?? null).slice(0, 500)
  const why = {
    tool_call_answered:
      status === 'unknown' || status === 'requested'
        ? 'a person has decided about it'
        : `it has ${status} with ${shown}`,
    tool_call_expired: `its time was over at ${end.toISOString()}`,
    tool_call_cancelled: 'its run has ended',
    lease_lost: 'another worker has the call, and this lease does not hold it',
  }[code]
  return cannot(ctx, code, why)
}
