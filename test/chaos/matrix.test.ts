import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { makeScratchFolder } from '../../rig/scratch-folder.ts'
import { readRows, toMatrix } from './matrix.ts'
import { faultKinds } from './schedule.ts'

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

it('a matrix is read again where all faults were played', async () => {
  await using folder = await makeScratchFolder()
  const file = join(folder.path, 'seen.json')
  const report = { skipped: [], done, recoveries: [], flaws: {} }
  const rows = faultKinds.map((fault, seed) => ({ fault, seed, report }))
  await writeFile(file, JSON.stringify(rows.toReversed()))
  assert.deepEqual(await readRows(file), rows)
  await writeFile(file, JSON.stringify(rows.slice(1)))
  await assert.rejects(readRows(file), new RegExp(`nothing of ${faultKinds[0]}: play it whole`))
})
