import assert from 'node:assert/strict'
import { it } from 'node:test'
import { toMatrix } from './matrix.ts'

const done = { 'runs accepted before the cut-off': 40, 'runs accepted since': 2 }

it('a matrix has a row for each fault, with what was seen of it', () => {
  const recoveries = [{ fault: 'kill-worker of worker 1', seconds: 2.34 }]
  const flaws = {
    'no new run within 10 s of a fault': [],
    'runs lost': ['run_a'],
    'runs stuck': ['run_b'],
    'webhook events lost': [],
    'processes that ended on their own': ['worker 1'],
  }
  const skipped = ['full-disk: not root']
  const table = toMatrix([
    { fault: 'kill-worker', seed: 7, report: { skipped: [], done, recoveries, flaws } },
    { fault: 'full-disk', seed: 8, report: { skipped, done, recoveries: [], flaws: {} } },
  ])
  assert.deepEqual(table.split('\n').slice(2), [
    '| `kill-worker` | 7 | 42 | 2.3 s | 2 | 0 | 0 | 0 | 0 | 1 |',
    '| `full-disk` | 8 | skipped | – | – | – | – | – | – | – |',
  ])
})
