import { setTimeout as delay } from 'node:timers/promises'
import type { ServerContext } from '@modelcontextprotocol/server'
import type { Context } from '../context.ts'
import { readEvents } from '../engine/reads/events.ts'
import { findRun } from '../engine/reads/runs.ts'
import type { Run } from '../engine/wire/run.ts'
import { notFound } from '../errors.ts'
import { waitUntilIdle } from '../runs/retrieve.ts'
import { retrieveMessage } from '../sources/threads/messages.ts'
import type { Call } from './call.ts'

/**
 * The run as soon as it has ended or waits for a person, or as it is after these seconds. Waiting takes no database
 * connection. A client that gave a progress token hears of each change.
 */
export async function waitForRun(
  call: Call,
  ctx: Context,
  runId: string,
  { seconds, mcp }: { seconds: number; mcp: ServerContext },
): Promise<Run> {
  if (seconds > 0) {
    const signal = AbortSignal.any([call.hold(), mcp.mcpReq.signal])
    const moved = reporterOf(ctx, runId, mcp)
    await waitUntilIdle(ctx, runId, { seconds, signal, ...(moved && { moved }) })
  }
  return readRun(call, ctx, runId)
}

const turnEveryMs = 250

/**
 * Waits until the turn of a message has begun, which is behind those of the messages before it. The reason if it begins
 * no more.
 */
export async function waitForTurn(
  call: Call,
  ctx: Context,
  messageId: string,
  seconds: number,
): Promise<'begun' | 'queued' | { why: string }> {
  const until = performance.now() + seconds * 1_000
  for (;;) {
    const { status, run_id: runId, why } = await retrieveMessage(ctx, messageId)
    if (runId !== null) return 'begun'
    if (status !== 'queued' && status !== 'running') return { why: why ?? status }
    if (performance.now() >= until || ctx.feed.closed) return 'queued'
    await delay(turnEveryMs, undefined, { signal: call.hold() })
  }
}

/** The whole output may have megabytes, so only a few are read at a time. */
export async function readRun(
  { request }: Pick<Call, 'request'>,
  ctx: Context,
  runId: string,
): Promise<Run> {
  request.server.large.check(ctx.accountId, ctx.action)
  const run = await request.server.large.read(request, () =>
    findRun(ctx.reads, ctx.accountId, runId),
  )
  if (run === undefined) throw notFound(ctx, 'run', runId)
  return run
}

const mostEvents = 500

/** Sends a progress notification for what is new in the run; undefined if the client wants none. */
function reporterOf(
  ctx: Context,
  runId: string,
  { mcpReq }: ServerContext,
): ((sequence: number) => Promise<void>) | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let reported = 0
  return async (sequence) => {
    if (sequence <= reported) return
    const events = await readEvents(ctx.reads, ctx.accountId, runId, reported, mostEvents)
    reported = sequence
    const last = events.findLast(({ type }) => type.startsWith('step.'))
    const role = last?.data['role']
    const verb = last?.type === 'step.started' ? 'started' : 'ended'
    const message = typeof role === 'string' ? `${role} ${verb}` : 'queued'
    const params = { progressToken, progress: sequence, message }
    await mcpReq.notify({ method: 'notifications/progress', params })
  }
}
