import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromViewFilters, queryOf, toViewFilters, type Filters } from './filters.ts'

const all: Filters = {
  state: 'failed',
  workflow: 'wf_1',
  since: 'week',
  agent: 'agt_1',
  tag: ['a:1', 'b:2'],
  cost: 0.1,
  find: 'refund',
}

describe('the filters of the list of runs', () => {
  it('come back from a saved view as they were', () => {
    const states = [
      'queued',
      'running',
      'waiting_input',
      'completed',
      'warned',
      'cancelled',
    ] as const
    for (const filters of [{}, all, { retried: 'run_1' }, ...states.map((state) => ({ state }))]) {
      assert.deepEqual(fromViewFilters(toViewFilters(filters)), filters)
    }
  })

  it('are unknown for a view that has others', () => {
    assert.equal(fromViewFilters({ status: ['queued', 'running'] }), undefined)
    assert.equal(fromViewFilters({ status: ['failed'] }), undefined)
    assert.equal(fromViewFilters({ created_before: '2026-11-01T00:00:00Z' }), undefined)
    assert.equal(fromViewFilters({ created_within_seconds: 60 }), undefined)
  })

  it('are sent to the list with texts for lists and a time for a span', () => {
    const now = Date.parse('2026-11-08T00:00:00Z')
    assert.deepEqual(queryOf(all, now), {
      status: 'failed',
      error_code: 'step_failed,agent_paused,wait_expired,budget_exceeded,internal,output_invalid',
      workflow_id: 'wf_1',
      agent_id: 'agt_1',
      tag: ['a:1', 'b:2'],
      min_cost_usd: 0.1,
      q: 'refund',
      created_after: '2026-11-01T00:00:00.000Z',
    })
  })
})
