import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Run } from '../../../sdk/generated.ts'
import { mergeHeld } from './merge-held.ts'

const run = (id: string, status: Run['status'] = 'running') => ({ id, status }) as Run
const ids = (runs: Run[]) => runs.map(({ id }) => id).join('')

describe('a list that is kept in place', () => {
  it('keeps its rows, as they stand now, and puts newer ones aside', () => {
    const { runs, newer } = mergeHeld(
      [run('c'), run('b')],
      [run('e'), run('d'), run('c', 'completed'), run('b')],
    )
    assert.equal(ids(runs), 'cb')
    assert.equal(runs[0]?.status, 'completed')
    assert.equal(ids(newer), 'ed')
  })

  it('has what was read behind its end', () => {
    const { runs, newer } = mergeHeld([run('c'), run('b')], [run('c'), run('b'), run('a')])
    assert.deepEqual([ids(runs), newer], ['cba', []])
  })

  it('stays when a busy account has nothing of it on its first page any more', () => {
    const { runs, newer } = mergeHeld([run('b'), run('a')], [run('d'), run('c')])
    assert.deepEqual([ids(runs), ids(newer)], ['ba', 'dc'])
  })
})
