import type { RunEvent, RunWithSteps, Step, ToolCall } from '../../../sdk/generated.ts'

/**
 * A run as rows of a timeline: its time in the queue, its steps, and under each step its calls and
 * the waits for people, in the order in which they began.
 */
export type Row = { id: string; from: number; to: number | null } & (
  | { kind: 'queue' }
  | { kind: 'step'; step: Step }
  | { kind: 'call'; call: ToolCall }
  | { kind: 'wait'; call: ToolCall | undefined; asks: string }
)

export interface Wait {
  id: string
  /** Undefined where the run asks for money. */
  callId: string | undefined
  order: number
  asks: string
  from: number
  to: number | null
}

export function buildRows(run: RunWithSteps, events: readonly RunEvent[]): Row[] {
  const waits = waitsOf(run, events)
  const waitOfCall = new Map(waits.toReversed().map((wait) => [wait.callId, wait]))
  const waitsOfStep = Map.groupBy(waits, ({ order }) => order)
  const created = Date.parse(run.created_at)
  const rows: Row[] = []
  const begun = run.started_at ?? run.finished_at
  if (begun === null || Date.parse(begun) - created > 1_000) {
    const to = begun === null ? null : Date.parse(begun)
    rows.push({ kind: 'queue', id: 'queue', from: created, to })
  }
  for (const step of run.steps) {
    const from = Date.parse(step.started_at ?? run.started_at ?? run.created_at)
    const to = timeOf(step.finished_at) ?? timeOf(run.finished_at)
    rows.push({ kind: 'step', id: step.id, from, to, step })
    const inside: Row[] = step.tool_calls.map((call) => {
      const wait = waitOfCall.get(call.id)
      const began =
        timeOf(call.started_at) ?? wait?.to ?? timeOf(call.decided_at) ?? wait?.from ?? to
      const end = timeOf(call.finished_at) ?? timeOf(call.decided_at) ?? timeOf(run.finished_at)
      return { kind: 'call', id: call.id, from: began ?? from, to: end, call }
    })
    const calls = new Map(step.tool_calls.map((call) => [call.id, call]))
    for (const { id, callId, from, to, asks } of waitsOfStep.get(step.order) ?? []) {
      inside.push({ kind: 'wait', id, from, to, call: calls.get(callId ?? ''), asks })
    }
    // What waits comes before the call that it let through.
    const rank = ({ kind }: Row) => (kind === 'wait' ? 0 : 1)
    rows.push(...inside.toSorted((a, b) => a.from - b.from || rank(a) - rank(b)))
  }
  return rows
}

/** From each question to its answer, to the end of the run, or until now. */
export function waitsOf(run: RunWithSteps, events: readonly RunEvent[]): Wait[] {
  const waits: Wait[] = []
  for (const { type, data, created_at } of events) {
    const last = waits.at(-1)
    if (type === 'run.waiting_input') {
      waits.push({
        id: String(data['pending_id']),
        callId: textOf(data['call_id']),
        order: Number(data['order']),
        asks: asksFor(data['kind'], textOf(data['tool'])),
        from: Date.parse(created_at),
        to: null,
      })
    } else if (last?.to === null && /^run\.(resumed|failed|completed)$/.test(type)) {
      last.to = Date.parse(created_at)
    }
  }
  const { pending } = run
  // The stream may be behind the run, or its events may be gone.
  if (pending !== null && !waits.some(({ id }) => id === pending.id)) {
    waits.push({
      id: pending.id,
      callId: pending.call_id,
      order: pending.step_order,
      asks: asksFor(pending.kind, pending.tool),
      from: Date.parse(pending.created_at),
      to: null,
    })
  }
  return waits
}

function asksFor(kind: unknown, tool: string | undefined): string {
  if (kind === 'budget') return 'approval of its cost'
  return kind === 'input' ? 'a question' : (tool ?? 'an action')
}

/** Milliseconds in the queue, at work and waiting for people. */
export interface Times {
  queued: number
  working: number
  waiting: number
}

export function timesOf(run: RunWithSteps, waits: readonly Wait[], now: number): Times {
  const created = Date.parse(run.created_at)
  const end = timeOf(run.finished_at) ?? now
  const begun = timeOf(run.started_at) ?? end
  const waiting = waits.reduce((sum, { from, to }) => sum + (to ?? end) - from, 0)
  return {
    queued: Math.max(0, begun - created),
    working: Math.max(0, end - begun - waiting),
    waiting: Math.max(0, waiting),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function timeOf(at: string | null): number | null {
  return at === null ? null : Date.parse(at)
}
