import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../../../rig/until.ts'
import { outageOf } from '../outage.ts'
import { UnresponsiveNodes, type NodeHealth } from './unresponsive-nodes.ts'

const one = { host: '10.0.0.2', port: 5432 }
const other = { host: '10.0.0.3', port: 5432 }
const never = () => new Promise<never>(() => {})
const times = { lateMs: 5, againMs: 5 }

/** Health checks that find what `healths` says; where that is undefined, they fail. */
function open() {
  const found: { healths: NodeHealth[] | undefined; count: number; silences: number } = {
    healths: [
      { node: one, answers: true },
      { node: other, answers: true },
    ],
    count: 0,
    silences: 0,
  }
  const nodes = new UnresponsiveNodes({
    tryAll: async () => {
      found.count++
      if (found.healths === undefined) throw new Error('The coordinator is away')
      return found.healths
    },
    onFound: () => found.silences++,
    times,
  })
  return { nodes, found }
}

const isOutage = (error: unknown): boolean => outageOf(error) === 'did not answer in time'
const untilChecked = (found: { count: number }, count: number): Promise<void> =>
  until(`${count} checks`, 20_000, () => found.count >= count, 1)

describe('unresponsive nodes', () => {
  it('are waited for no longer than until a trial finds them', async () => {
    const { nodes, found } = open()
    using _ = nodes
    found.healths = [
      { node: one, answers: false },
      { node: other, answers: true },
    ]
    const done = Promise.withResolvers<string>()
    const elsewhere = nodes.during(other, () => done.promise)
    await assert.rejects(nodes.during(one, never), isOutage)
    assert.throws(() => nodes.check(one), /10\.0\.0\.2:5432 does not answer/)
    await assert.rejects(nodes.during(undefined, never), isOutage, 'a look over all nodes')
    nodes.check(other)
    done.resolve('answered')
    assert.equal(await elsewhere, 'answered')
    assert.ok(found.silences >= 1)
  })

  it('are asked again when they answer', async () => {
    const { nodes, found } = open()
    using _ = nodes
    found.healths = [{ node: one, answers: false }]
    await assert.rejects(nodes.during(one, never), isOutage)
    found.healths = [{ node: one, answers: true }]
    await untilChecked(found, found.count + 1)
    await new Promise(setImmediate)
    assert.equal(await nodes.during(one, async () => 'back'), 'back')
  })

  it('are none where a statement is only late, or nothing can be tried', async () => {
    const { nodes, found } = open()
    using _ = nodes
    for (const answer of [found.healths, undefined]) {
      found.healths = answer
      const done = Promise.withResolvers<string>()
      const late = nodes.during(one, () => done.promise)
      await untilChecked(found, found.count + 1)
      await new Promise(setImmediate)
      nodes.check(one)
      done.resolve('late')
      assert.equal(await late, 'late')
    }
    assert.equal(found.silences, 0)
  })

  it('are not tried for what is answered in time, or fails', async () => {
    const { nodes, found } = open()
    using _ = nodes
    await nodes.during(one, async () => 1)
    await assert.rejects(
      nodes.during(one, () => Promise.reject(new Error('refused'))),
      /refused/,
    )
    await new Promise((resolve) => setTimeout(resolve, 2 * times.lateMs))
    assert.equal(found.count, 0)
  })
})
