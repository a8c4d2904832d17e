import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { RecentRun } from './firing-store.ts'
import { countFailures } from './pause.ts'

const run = (status: RecentRun['status'], fields: Partial<RecentRun> = {}): RecentRun => ({
  id: 'run_1',
  status,
  error_code: status === 'failed' ? 'step_failed' : null,
  counts: true,
  ...fields,
})
const failed = run('failed')
const completed = run('completed')
const cancelled = run('failed', { error_code: 'cancelled' })

it('failures of a schedule are its failed runs since the last completed one', () => {
  const cases: [count: number, ...recent: RecentRun[]][] = [
    [0],
    [0, completed, failed],
    [1, failed, completed, failed],
    [2, failed, failed],
    [2, failed, cancelled, failed, completed],
    [0, cancelled],
    [1, run('running'), failed],
    [1, run('queued'), run('waiting_input'), failed, completed],
    [1, failed, run('failed', { counts: false })],
    [2, failed, run('completed', { counts: false }), failed],
    [0, run('failed', { counts: false, error_code: 'cancelled' })],
  ]
  for (const [count, ...recent] of cases) {
    assert.equal(countFailures(recent), count, JSON.stringify(recent))
  }
})
