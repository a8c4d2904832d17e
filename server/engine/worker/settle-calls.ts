import type { Logger } from 'pino'
import type { Database } from '../../db/client.ts'
import { logFailure } from '../../db/outage.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { MemoryScope, WorkerPort } from '../port.ts'
import {
  askAgain,
  isOutdated,
  isStale,
  maxCallsAtOnce,
  complete,
  type ToolCall,
} from '../run/ledger.ts'
import { maxRunOutputBytes, messages } from '../run/messages.ts'
import { findTriggeringUser, hasMadeCalls, type Outcome, returnMail } from '../journal/calls.ts'
import { heldForWorkers, requestsOf } from '../run/requests.ts'
import { request } from '../journal/requests/requests.ts'
import type { Fence } from '../run/run.ts'
import { checkInput } from '../../tools/check-input.ts'
import type { CallingRun, Tool, ToolResult } from '../../tools/contract.ts'
import { isFileTool, writeFileAction } from '../../tools/files.ts'
import { beginCalls, callTool, isMail, isUnavailable, withEdit } from './call-tool.ts'
import { traceTool } from '../../telemetry/gen-ai.ts'
import { isMemoryTool } from '../../tools/own-tools.ts'
import type { Postponed } from './model-turn.ts'
import type { KeyedMutex } from '../../keyed-mutex.ts'
import { completed, NotOurs, write, writeAll, writeOutcome } from './record-calls.ts'
import type { Toolbox } from './prepare-step.ts'
import type { RunEvent } from '../run/step.ts'

/**
 * Advances the open calls of a turn as far as possible without a person: allowed calls are made,
 * several in parallel, and their outcomes written. Calls that are still open then wait for people,
 * as one case.
 */
export interface CallDeps {
  database: Database
  log: Logger
  fence: Fence
  signal: AbortSignal
  /** Whether the signal means that another worker will continue the run. */
  isStopping: () => boolean
  /** Reports events of the run that were written. */
  changed: (events: RunEvent[]) => void
  /** Serializes writers of one memory, and of the files of one run. */
  notes: KeyedMutex
  /** Bytes of all tool results of the run so far. */
  collected: { bytes: number }
  port: WorkerPort
  sandbox: Sandbox
}

export interface CallSite extends CallDeps {
  /** Timeout of one call. */
  timeoutMs: number
  step: { position: number; role: string; agentId: string | null }
  workflowId: string
  box: Toolbox
  /** The memory that the built-in tools write. */
  scope: MemoryScope | undefined
  /** Whether a person may be asked about an unknown outcome. */
  asksPeople: boolean
  /** Its actions may have been done before, in data that the database has lost. */
  isDoubted: boolean
  /** Approved calls that may no longer be made, by id, each with the message for the agent. */
  findForbidden: (calls: readonly ToolCall[]) => Promise<ReadonlyMap<string, string>>
}

/** Calls that wait for a person, each with the current action of its tool. */
export interface WaitingCalls {
  kind: 'waiting'
  calls: { call: ToolCall; action: Tool | undefined }[]
  /** Whether other calls of the turn were decided before. */
  isContinued: boolean
}

export type Settled =
  | { kind: 'settled' }
  | WaitingCalls
  | Omit<Postponed, 'tries'>
  | { kind: 'lost' }
  | { kind: 'aborted' }

/**
 * `isNew`: this worker has just written the calls. Otherwise a call found executing was in flight
 * when a worker died, and one that is unknown became so in an earlier epoch or waits for a person.
 */
export async function settleCalls(
  site: CallSite,
  calls: ToolCall[],
  { isNew }: { isNew: boolean },
): Promise<Settled> {
  const open = calls.filter(({ output }) => output === null)
  if (!isNew && !(await settleStale(site, open))) return { kind: 'lost' }
  if (!(await askAgainIfOutdated(site, open))) return { kind: 'lost' }
  for (;;) {
    if (site.signal.aborted) return { kind: 'aborted' }
    let ready = open.filter((call) => call.status === 'executing' && !isRequest(site, call))
    if (ready.length === 0) {
      ready = open.filter(({ status }) => status === 'approved').slice(0, maxCallsAtOnce)
      if (ready.length === 0) break
      // Committed before anything goes out.
      const forbidden = await site.findForbidden(ready)
      const isOurs = await beginAll(site, ready, forbidden)
      if (!isOurs) return { kind: 'lost' }
      ready = ready.filter((call) => call.status === 'executing' && !isRequest(site, call))
    }
    const making = ready.map((call) => makeOrHold(site, call))
    // If one call throws, the others finish first, because the run is released then.
    await Promise.allSettled(making)
    const made = await Promise.all(making)
    if (made.includes('lost')) return { kind: 'lost' }
    // A held call stays executing, and is made again.
    const held = made.find((one) => typeof one === 'object')
    if (held !== undefined) return held
  }
  const unanswered = open.filter(({ output }) => output === null)
  // What workers of the account execute goes on while people are asked about the others.
  const waiting = unanswered.filter(({ status }) => status !== 'executing')
  if (unanswered.length === 0) return { kind: 'settled' }
  if (waiting.length === 0) {
    const names = requestsOf(site.box, unanswered).map(({ request }) => request.name)
    const held = { reason: 'caller_tool', message: heldForWorkers(names), lostMs: 0 } as const
    return { kind: 'postponed', delaySeconds: 0, held }
  }
  return {
    kind: 'waiting',
    calls: waiting.map((call) => ({ call, action: site.box.tool(call.tool) })),
    isContinued: calls.some(({ decision }) => decision !== null && decision !== 'refused'),
  }
}

/** Whether a call goes to the account's workers. */
function isRequest({ box }: CallSite, { tool }: ToolCall): boolean {
  return box.tool(tool)?.request !== undefined
}

/** Starts approved calls; emails and requests need a transaction. False if the run is lost. */
async function beginAll(
  site: CallSite,
  ready: ToolCall[],
  forbidden: ReadonlyMap<string, string>,
): Promise<boolean> {
  if (ready.some((call) => isRequest(site, call))) {
    const step = { ...site.step, workflowId: site.workflowId }
    return writeAll(site, async (inside) => {
      const entry = await request(inside, site.fence, step, async (transaction, at) => {
        const written = await beginCalls(transaction, site, ready, forbidden, at)
        const begun = ready.filter(({ status }) => status === 'executing')
        return { calls: requestsOf(site.box, begun), written }
      })
      if (entry === undefined) throw new NotOurs()
      return entry
    })
  }
  const begin = (database: Parameters<typeof beginCalls>[0]) =>
    beginCalls(database, site, ready, forbidden, new Date())
  return ready.some(isMail) ? writeAll(site, begin) : write(site, await begin(site.database))
}

/**
 * If no person may be asked about an unknown outcome, the agent gets a message. False if the run is
 * lost.
 */
async function settleStale(site: CallSite, open: ToolCall[]): Promise<boolean> {
  const { asksPeople } = site
  const stale = open.filter((call) =>
    isStale(call, {
      asksPeople,
      isRepeatable: isFileTool(site.box.tool(call.tool)) || isRequest(site, call),
    }),
  )
  if (stale.length === 0) return true
  const settled = stale.map((call) => {
    const output =
      call.status === 'executing' ? 'the process that made it stopped before it ended' : ''
    return outcomeOf(site, call, { status: 'unknown', output })
  })
  const ended = stale.filter(({ output }) => output !== null)
  return write(site, { settled, events: ended.map((call) => completed(site, call)) })
}

/**
 * An approval is bound to the action and the connection that existed when the agent proposed the
 * call. The tools of the box were opened after the last answer, and calls go out only through them,
 * so this is the one place that compares. False if the run is lost.
 */
async function askAgainIfOutdated(site: CallSite, open: ToolCall[]): Promise<boolean> {
  const heldBack = open.filter((call) => {
    const tool = site.box.tool(call.tool)
    if (tool === undefined || tool.unavailable !== undefined) return false
    if (!isOutdated(call, tool.version)) return false
    const { version: toolVersion } = tool
    const asked = askAgain(call, checkInput(tool, call.input), site.isDoubted)
    Object.assign(call, { ...asked, toolVersion, toolChanged: true })
    return true
  })
  if (heldBack.length === 0) return true
  const ended = heldBack.filter(({ output }) => output !== null)
  return write(site, { heldBack, events: ended.map((call) => completed(site, call)) })
}

async function makeOrHold(
  site: CallSite,
  call: ToolCall,
): Promise<'made' | 'lost' | Omit<Postponed, 'tries'>> {
  const beganAt = performance.now()
  try {
    return (await make(site, call)) ? 'made' : 'lost'
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const { message, cause, retryAfterSeconds: delaySeconds = 0 } = error
    logFailure(site.log, cause, 'a call of a run is held', { callId: call.id })
    const lostMs = Math.round(performance.now() - beganAt)
    return { kind: 'postponed', delaySeconds, held: { reason: 'no_worker', message, lostMs } }
  }
}

/** Makes a call and records its outcome; false if the run no longer belongs to this worker. */
async function make(site: CallSite, call: ToolCall): Promise<boolean> {
  if (isMemoryTool(call.tool)) {
    return site.notes.run(JSON.stringify(site.scope), () =>
      traceTool(call, (ended) => makeNote(site, call, ended)),
    )
  }
  const { signal } = site
  const tool = site.box.tool(call.tool)
  if (tool?.id === writeFileAction && isFileTool(tool)) {
    // One at a time, in the model's order.
    return site.notes.run(`files of ${site.fence.runId}`, () =>
      traceTool(call, (ended) => makeFile(site, call, ended)),
    )
  }
  const result =
    tool === undefined
      ? { status: 'failed' as const, output: `${call.tool} is no longer connected.` }
      : site.collected.bytes >= maxRunOutputBytes && !call.sensitive
        ? { status: 'failed' as const, output: messages.collectedAll }
        : await traceTool(call, async (ended) => {
            const made = await callTool(tool, call, { ...site, run: callingRun(site) })
            ended(made)
            return made
          })
  if (signal.aborted && !call.sensitive && site.isStopping()) return true
  if (result.file !== undefined) return keepAnswer(site, call, result, result.file)
  const outcome = outcomeOf(site, call, result)
  site.collected.bytes += Buffer.byteLength(outcome.output ?? '')
  const isOurs = await writeOutcome(site, call, outcome)
  if (isMail(call) && result.status === 'failed') {
    await returnMail(site.database, { ...site.fence, callId: call.id })
  }
  return isOurs
}

function callingRun({ database, fence }: CallSite): CallingRun {
  const hasOtherCalls = (connectorId: string, callIds: readonly string[]) =>
    hasMadeCalls(database, fence, connectorId, callIds)
  const findPerson = () => findTriggeringUser(database, fence)
  return { runId: fence.runId, attempt: fence.attempt, findPerson, hasOtherCalls }
}

/** Completes a call in memory, and returns the outcome to write. */
function outcomeOf(site: CallSite, call: ToolCall, result: ToolResult): Outcome {
  const { id, status, output, unknownReason } = Object.assign(call, complete(call, result, site))
  return { id, status, output, unknownReason }
}

/**
 * Keeps a large answer as a file of the run, created in the ledger's transaction. The call has been made, so whatever
 * prevents that only leaves the file out, with a note.
 */
async function keepAnswer(
  site: CallSite,
  call: ToolCall,
  { status, output }: ToolResult,
  answer: NonNullable<ToolResult['file']>,
): Promise<boolean> {
  const { fence, step, log } = site
  // A transaction that fails leaves the call as it is.
  const settled = { ...call }
  const finish = (of: ToolCall, note: string): Outcome =>
    outcomeOf(site, of, { status, output: `${output}\n\n[${note}]` })
  const lost = (why: string): string =>
    `The whole answer, ${answer.content.length} bytes, was not kept: ${why}`
  try {
    const file = await site.port.storeAnswer({ ...fence, step }, call.id, answer)
    try {
      const isOurs = await writeAll(site, async (transaction) => {
        const { events, ...kept } = await file.keep(transaction)
        const isKept = kept.status === 'succeeded'
        const outcome = finish(settled, isKept ? `Whole answer: ${kept.output}` : lost(kept.output))
        return { settled: [outcome], events: [...events, completed(site, settled)] }
      })
      Object.assign(call, settled)
      return isOurs
    } finally {
      await file
        .drop()
        .catch((error: unknown) => log.warn({ err: error }, 'contents were not dropped'))
    }
  } catch (error) {
    logFailure(log, error, 'the answer of a call was not kept as a file', { callId: call.id })
    return writeOutcome(site, call, finish(call, lost('it could not be stored')))
  } finally {
    site.collected.bytes += Buffer.byteLength(call.output ?? '')
  }
}

/** Reports a result to the call's span. */
type Ended = (result: ToolResult) => void

/** Memory tools write in the ledger's transaction, so each takes effect exactly once. */
async function makeNote(site: CallSite, call: ToolCall, ended: Ended): Promise<boolean> {
  const { fence, scope } = site
  return writeAll(site, async (transaction) => {
    const { events, ...result } = await site.port.keepNote(transaction, { ...fence, scope }, call)
    ended(result)
    const output = withEdit(call, result.output)
    const outcome = outcomeOf(site, call, { ...result, output })
    return { settled: [outcome], events: [...events, completed(site, call)] }
  })
}

/**
 * The contents are stored first; the file itself is created in the ledger's transaction, so retries
 * create it once.
 */
async function makeFile(site: CallSite, call: ToolCall, ended: Ended): Promise<boolean> {
  const { fence, step, log } = site
  const file = await site.port.writeFile({ ...fence, step }, call)
  try {
    return await writeAll(site, async (transaction) => {
      const { events, ...result } = await file.keep(transaction)
      ended(result)
      const output = withEdit(call, result.output)
      const outcome = outcomeOf(site, call, { ...result, output })
      return { settled: [outcome], events: [...events, completed(site, call)] }
    })
  } finally {
    await file
      .drop()
      .catch((error: unknown) => log.warn({ err: error }, 'contents were not dropped'))
  }
}
