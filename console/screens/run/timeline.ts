import type { RunEvent, RunWithSteps, Step, ToolCall } from '../../../sdk/generated.ts'

/**
 * A run as rows of a timeline: its time in the queue, its steps, and under each step its calls and
 * waits for people, by start time.
 */
export type Row = { id: string; from: number; to: number | null } & (
  | { kind: 'queue' }
  | { kind: 'step'; step: Step }
  | { kind: 'call'; call: ToolCall }
  | { kind: 'wait'; call: ToolCall | undefined; asks: string }
)

export interface Wait {
  id: string
  /** Empty for a budget request. */
  callIds: string[]
  order: number
  asks: string
  from: number
  to: number | null
}

export function buildRows(run: RunWithSteps, events: readonly RunEvent[]): Row[] {
  const waits = waitsOf(run, events)
  const waitOfCall = new Map(
    waits.toReversed().flatMap((wait) => wait.callIds.map((id) => [id, wait] as const)),
  )
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
    for (const { id, callIds, from, to, asks } of waitsOfStep.get(step.order) ?? []) {
      const call = callIds.length === 1 ? calls.get(callIds[0] ?? '') : undefined
      inside.push({ kind: 'wait', id, from, to, call, asks })
    }
    // A wait comes before the call that it was for.
    const rank = ({ kind }: Row) => (kind === 'wait' ? 0 : 1)
    rows.push(...inside.toSorted((a, b) => a.from - b.from || rank(a) - rank(b)))
  }
  return rows
}

/** From each request to its answer, to the end of the run, or until now. */
export function waitsOf(run: RunWithSteps, events: readonly RunEvent[]): Wait[] {
  const waits: Wait[] = []
  for (const { type, data, created_at } of events) {
    const last = waits.at(-1)
    if (type === 'run.waiting_input') {
      const { pending_id: id, order, kind, tool, call_id, calls } = data
      waits.push({
        id: `${id} ${created_at}`,
        callIds: idsOf(call_id, calls),
        order,
        asks: asksFor(kind, tool, calls),
        from: Date.parse(created_at),
        to: null,
      })
    } else if (last?.to === null && /^run\.(resumed|failed|completed)$/.test(type)) {
      last.to = Date.parse(created_at)
    }
  }
  const { pending } = run
  // The stream may lag behind the run, or its events may be deleted. A case of several calls waits
  // again under the same id once some are decided.
  const id = `${pending?.id} ${pending?.created_at}`
  if (pending !== null && !waits.some((wait) => wait.id === id)) {
    waits.push({
      id,
      callIds: idsOf(pending.call_id, pending.calls),
      order: pending.step_order,
      asks: asksFor(pending.kind, pending.tool, pending.calls),
      from: Date.parse(pending.created_at),
      to: null,
    })
  }
  return waits
}

type Calls = { call_id?: string }[] | undefined

function idsOf(callId: string | undefined, calls: Calls): string[] {
  return (calls ?? [{ call_id: callId }]).flatMap((one) => one.call_id ?? [])
}

function asksFor(kind: string, tool: string | undefined, calls: Calls): string {
  if (calls !== undefined) return `${calls.length} decisions`
  if (kind === 'budget') return 'approval of its cost'
  return kind === 'input' ? 'a question' : (tool ?? 'an action')
}

/** Milliseconds in the queue, running, and waiting for people. */
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

function timeOf(at: string | null): number | null {
  return at === null ? null : Date.parse(at)
}
