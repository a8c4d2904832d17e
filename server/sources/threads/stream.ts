import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { readEvents, type StoredEvent } from '../../engine/reads/events.ts'
import { streamEvents } from '../../runs/stream-events.ts'
import { withText, type TextEvent } from '../../runs/stream-text.ts'
import type { SseEvent } from '../../http/sse.ts'
import * as messages from './message-store.ts'
import type { ThreadMessage } from './schema.ts'
import * as store from './store.ts'
import { retrieveThread } from './threads.ts'

/**
 * One stream over all turns of a thread: for each turn in order `message.changed` when it begins, the events of its run,
 * and `message.changed` with its end. These have ids that grow over the whole thread and follow from the turn, so a
 * stream can be resumed anywhere. A message that waits for its turn is sent without an id, once the turns before it have
 * ended. Nothing is stored for it.
 */

/** Ids of a turn: its beginning, up to this many events of its run, and its end. */
const idsPerTurn = 1_048_576

interface Position {
  turn: number
  /** Number of the last event of the turn; 0 for its beginning. */
  sequence: number
}

function toPosition(id: number): Position {
  return { turn: Math.floor(id / idsPerTurn), sequence: id % idsPerTurn }
}

const toId = (turn: number, sequence: number): string => String(turn * idsPerTurn + sequence)
const endSequence = idsPerTurn - 1

const isFinal = ({ status }: ThreadMessage): boolean =>
  !['queued', 'running', 'waiting_input'].includes(status)

/** How often the messages are looked at: often after a change, seldom in a quiet thread. */
const lookMs = { soon: 150, late: 2_000 }
const keepAliveMs = 15_000
const readAtOnce = 100

type InTurn = <T>(work: () => Promise<T>) => Promise<T>

export async function streamThread(
  ctx: Context,
  threadId: string,
  { after, deltas }: { after: number | undefined; deltas: boolean },
  signal: AbortSignal,
  inTurn: InTurn,
): Promise<AsyncGenerator<SseEvent[]>> {
  const thread = await retrieveThread(ctx, threadId)
  const from = after === undefined ? { turn: 0, sequence: endSequence } : toPosition(after)
  return follow({ ctx, threadId, deltas, signal, inTurn, backlog: thread.turns }, from)
}

interface Streaming {
  ctx: Context
  threadId: string
  deltas: boolean
  signal: AbortSignal
  inTurn: InTurn
  /** Turns that there were when the stream began. */
  backlog: number
}

async function* follow(streaming: Streaming, from: Position): AsyncGenerator<SseEvent[]> {
  const { ctx, threadId, signal, inTurn } = streaming
  const seen = new Map<string, string>()
  let { turn, sequence } = from
  let quietMs = 0
  let silentMs = 0
  while (!signal.aborted && !ctx.feed.closed) {
    const rest = sequence < endSequence
    const start = rest ? turn : turn + 1
    const found = await inTurn(() =>
      messages.readTurns(ctx.reads, ctx.accountId, threadId, { from: start, limit: readAtOnce }),
    )
    if (signal.aborted) return
    const [first, ...behind] = found
    // A turn in progress, or one that has ended: its events come first.
    if (first !== undefined && first.role === 'user' && first.status !== 'queued') {
      yield* streamTurn(streaming, first, rest && start === turn ? sequence : -1)
      ;[turn, sequence] = [first.turn, endSequence]
      ;[quietMs, silentMs] = [0, 0]
      continue
    }
    const waiting = [...(first === undefined ? [] : [first]), ...behind]
    const changed = waiting.filter(({ id, status }) => seen.get(id) !== status)
    for (const { id, status } of waiting) seen.set(id, status)
    if (changed.length > 0) yield changed.map((message) => toFrame(message))
    if (streaming.deltas && first !== undefined && first.status === 'queued')
      await subscribe(streaming, first)
    if (
      found.length === 0 &&
      (await store.findThread(ctx.reads, ctx.accountId, threadId)) === undefined
    )
      return
    const ms = Math.min(lookMs.late, Math.max(lookMs.soon, quietMs / 10))
    await delay(ms, undefined, { signal }).catch(() => {})
    quietMs += ms
    silentMs += ms
    if (silentMs >= keepAliveMs || quietMs === ms) {
      silentMs = 0
      yield []
    }
  }
}

/** The model's text of a run that begins later is streamed from its first call. */
async function subscribe({ ctx }: Streaming, { id }: ThreadMessage): Promise<void> {
  const runId = await messages.findRunId(ctx.reads, ctx.accountId, id)
  if (runId !== undefined) await ctx.feed.tokens.subscribe({ accountId: ctx.accountId, runId })
}

/** The events of one turn after a number, until it has ended. */
async function* streamTurn(
  streaming: Streaming,
  message: ThreadMessage,
  after: number,
): AsyncGenerator<SseEvent[]> {
  const { ctx, threadId, signal } = streaming
  let current: ThreadMessage | undefined = message
  let sequence = after
  while (current !== undefined && current.run_id === null && !isFinal(current)) {
    await delay(lookMs.soon, undefined, { signal }).catch(() => {})
    if (signal.aborted || ctx.feed.closed) return
    current = await messages.findMessage(ctx.reads, ctx.accountId, message.id)
  }
  if (current === undefined) return
  if (current.run_id !== null) {
    if (sequence < 0) {
      sequence = 0
      const begun = { ...current, status: 'running', why: null } as const
      yield [{ id: toId(current.turn, 0), ...toFrame(begun) }]
    }
    yield* streamRun(streaming, { ...current, run_id: current.run_id }, sequence)
    if (signal.aborted || ctx.feed.closed) return
  }
  // The end of the run is recorded on the message just after it.
  while (current !== undefined && !isFinal(current)) {
    current = await messages.findMessage(ctx.reads, ctx.accountId, message.id)
    if (current !== undefined && !isFinal(current))
      await delay(30, undefined, { signal }).catch(() => {})
    if (signal.aborted || ctx.feed.closed) return
  }
  if (current === undefined) return
  const range = { from: message.turn, to: message.turn + 1, limit: 2 }
  const both = await messages.readTurns(ctx.reads, ctx.accountId, threadId, range)
  const answer = both.find(({ role }) => role === 'assistant')
  yield [{ id: toId(message.turn, endSequence), ...toFrame(current, answer) }]
}

async function* streamRun(
  { ctx, deltas, signal, inTurn, backlog }: Streaming,
  message: ThreadMessage & { run_id: string },
  after: number,
): AsyncGenerator<SseEvent[]> {
  const { run_id: runId, turn } = message
  const isNew = turn > backlog
  if (isFinal(message) && !(deltas && isNew)) {
    // The run of an ended turn needs no waiting, and may be gone.
    for (let sequence = after; ;) {
      const at = sequence
      const events = await inTurn(() => readEvents(ctx.reads, ctx.accountId, runId, at, 500))
      if (events.length === 0 || signal.aborted) return
      yield events.map((event) => toRunFrame(event, message))
      sequence = events.at(-1)?.sequence ?? sequence
    }
  }
  const log = await streamEvents(ctx, runId, after, signal, inTurn)
  // The text of a turn that began after the stream is sent, however soon its run has ended.
  const isLive = isNew || after > 0
  const source = deltas
    ? withText(ctx, { id: runId, after }, isLive ? { ...log, beganAt: 0 } : log, signal)
    : log.events
  for await (const events of source) {
    const frames = events.flatMap((event) => {
      const frame = toRunFrame(event, message)
      const changes = event.type === 'run.waiting_input' || event.type === 'run.resumed'
      if (!changes) return [frame]
      const status = event.type === 'run.resumed' ? 'running' : 'waiting_input'
      return [frame, toFrame({ ...message, status })]
    })
    yield frames
  }
}

function toRunFrame(
  event: StoredEvent | TextEvent,
  { id: message_id, run_id, turn: thread_turn }: ThreadMessage,
): SseEvent {
  const more = { run_id, message_id, thread_turn }
  return 'sequence' in event
    ? { id: toId(thread_turn, event.sequence), type: event.type, data: { ...event, ...more } }
    : { type: event.type, data: { type: event.type, ...event.data, ...more } }
}

function toFrame(message: ThreadMessage, answer?: ThreadMessage): SseEvent {
  const { id: message_id, turn: thread_turn } = message
  const type = 'message.changed'
  const data = { type, message_id, thread_turn, message, ...(answer && { answer }) }
  return { type, data }
}
