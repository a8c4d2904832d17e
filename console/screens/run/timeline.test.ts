import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RunEvent, RunWithSteps, Step, ToolCall } from '../../../sdk/generated.ts'
import { buildRows, timesOf, waitsOf } from './timeline.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()
const seconds = (time: number | null) =>
  time === null ? null : (time - Date.UTC(2026, 0, 1)) / 1000

const call = (id: string, from: number | null, to: number | null): ToolCall =>
  ({
    id,
    tool: 'crm.refund',
    decided_at: null,
    started_at: from === null ? null : at(from),
    finished_at: to === null ? null : at(to),
  }) as ToolCall

const step = (order: number, from: number, to: number | null, calls: ToolCall[] = []): Step =>
  ({
    id: `step_${order}`,
    order,
    role: 'clerk',
    tool_calls: calls,
    started_at: at(from),
    finished_at: to === null ? null : at(to),
  }) as Step

const run = (fields: Partial<RunWithSteps>): RunWithSteps =>
  ({
    created_at: at(0),
    started_at: at(10),
    finished_at: null,
    pending: null,
    steps: [],
    ...fields,
  }) as RunWithSteps

const event = (type: string, time: number, data: Record<string, unknown> = {}): RunEvent =>
  ({ type, data, created_at: at(time) }) as RunEvent
const asks = (time: number, callId: string) =>
  event('run.waiting_input', time, {
    pending_id: `pnd_${callId}`,
    call_id: callId,
    order: 1,
    kind: 'approval',
    tool: 'crm.refund',
  })

const finished = run({
  finished_at: at(100),
  steps: [step(0, 10, 20), step(1, 20, 100, [call('a', 80, 81), call('b', 30, 31)])],
})
const events = [asks(40, 'a'), event('run.resumed', 75)]

describe('the rows of a timeline', () => {
  it('are the queue, the steps, and what each step did in the order in which it began', () => {
    assert.deepEqual(
      buildRows(finished, events).map(({ id, from, to }) => [id, seconds(from), seconds(to)]),
      [
        ['queue', 0, 10],
        ['step_0', 10, 20],
        ['step_1', 20, 100],
        ['b', 30, 31],
        [`pnd_a ${at(40)}`, 40, 75],
        ['a', 80, 81],
      ],
    )
  })

  it('have no queue where there was none, and no end where there is none yet', () => {
    const rows = buildRows(run({ started_at: at(0), steps: [step(0, 0, null)] }), [])
    assert.deepEqual(
      rows.map(({ id, to }) => [id, to]),
      [['step_0', null]],
    )
    const [queue] = buildRows(run({ started_at: null }), [])
    assert.deepEqual([queue?.kind, queue?.to], ['queue', null])
  })

  it('have a call that never went out where it was asked for', () => {
    const rejected = run({ steps: [step(1, 20, null, [call('a', null, null)])] })
    const row = buildRows(rejected, [asks(40, 'a')]).find(({ id }) => id === 'a')
    assert.equal(seconds(row?.from ?? 0), 40)
  })
})

describe('the waits of a run', () => {
  it('end with the answer or with the run', () => {
    const both = [...events, asks(90, 'b'), event('run.failed', 95)]
    assert.deepEqual(
      waitsOf(finished, both).map(({ from, to }) => [seconds(from), seconds(to)]),
      [
        [40, 75],
        [90, 95],
      ],
    )
  })

  it('hold what waits now, also before its event has come', () => {
    const pending = { id: 'pnd_z', call_id: 'z', step_order: 0, kind: 'input', created_at: at(50) }
    const waiting = run({ pending: pending as RunWithSteps['pending'] })
    assert.deepEqual(
      waitsOf(waiting, []).map(({ id, from, to }) => [id, seconds(from), to]),
      [[`pnd_z ${at(50)}`, 50, null]],
    )
  })

  it('of several calls are about each of them, and begin again for the rest', () => {
    const calls = ['a', 'b'].map((call_id) => ({ call_id, pending_id: `pnd_${call_id}` }))
    const both = event('run.waiting_input', 40, { ...asks(40, 'a').data, calls })
    const waits = waitsOf(finished, [both, event('run.resumed', 50), asks(60, 'a')])
    assert.deepEqual(
      waits.map(({ callIds, asks, from }) => [callIds, asks, seconds(from)]),
      [
        [['a', 'b'], '2 decisions', 40],
        [['a'], 'crm.refund', 60],
      ],
    )
    assert.equal(new Set(waits.map(({ id }) => id)).size, 2)
  })

  it('count apart from the work and from the queue', () => {
    const times = timesOf(finished, waitsOf(finished, events), 0)
    assert.deepEqual(times, { queued: 10_000, working: 55_000, waiting: 35_000 })
    const queued = timesOf(run({ started_at: null }), [], Date.parse(at(30)))
    assert.deepEqual(queued, { queued: 30_000, working: 0, waiting: 0 })
  })
})
