import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { callerFixture, callLookup, callRefund } from '../server/tool-calls/test-caller.ts'
import { until } from '../rig/until.ts'
import { Muster } from './index.ts'

const { app, start, endLeases } = callerFixture()

async function client(): Promise<Muster> {
  const { key } = await app.post('/v1/api-keys', { name: 'worker', role: 'worker' })
  return new Muster({ apiKey: key, baseUrl: app.url })
}

describe('muster.tools.serve', () => {
  it('executes calls, reports outputs and errors, and ends after the calls in progress', async () => {
    const muster = await client()
    const stop = new AbortController()
    const held = Promise.withResolvers<void>()
    const seen: unknown[] = []
    const served = muster.tools.serve(
      {
        lookup_order: async ({ order }: { order: string }, { callId, name, try: number }) => {
          seen.push([order, name, number, callId.slice(0, 5)])
          if (order === 'B-2') throw new Error('no such order')
          if (order === 'C-3') await held.promise
          if (order !== 'D-4') return { order }
        },
      },
      { signal: stop.signal },
    )
    const outputOf = async (order: string) =>
      (await app.rest(await start([callLookup(order)]))).output
    assert.equal(await outputOf('A-1'), 'done: {"order":"A-1"}')
    assert.deepEqual(seen, [['A-1', 'lookup_order', 1, 'call_']])
    assert.equal(await outputOf('B-2'), 'done: no such order')
    assert.equal(await outputOf('D-4'), 'done: null')
    const last = start([callLookup('C-3')])
    await until('it is begun', 20_000, () => seen.length === 4)
    stop.abort()
    held.resolve()
    await served
    assert.equal((await app.rest(await last)).output, 'done: {"order":"C-3"}')
  })

  it('gives a call out again if its error is retryable, and aborts one that is lost', async () => {
    const muster = await client()
    const stop = new AbortController()
    let tries = 0
    const lost = Promise.withResolvers<unknown>()
    const served = muster.tools.serve(
      {
        refund: () => {
          if (++tries < 3) throw Object.assign(new Error('busy'), { retryable: true })
          return 'paid'
        },
        lookup_order: (_, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              lost.resolve(signal.reason)
              resolve(null)
            })
          }),
      },
      { signal: stop.signal, leaseSeconds: 5 },
    )
    assert.equal((await app.rest(await start([callRefund()]))).output, 'done: paid')
    assert.equal(tries, 3)
    const runId = await start([callLookup()])
    await until('it is claimed', 20_000, async () => {
      return (await app.get(`/v1/tool-calls?run_id=${runId}&status=claimed`)).length === 1
    })
    await app.post(`/v1/runs/${runId}/cancel`)
    assert.equal(((await lost.promise) as { code: string }).code, 'lease_lost')
    stop.abort()
    await served
    await endLeases()
  })

  it('rejects if the key is refused', async () => {
    const muster = new Muster({ apiKey: 'mst_wrong', baseUrl: app.url })
    await assert.rejects(muster.tools.serve({ a: () => 1 }), { code: 'invalid_api_key' })
    const { key } = await app.post('/v1/api-keys', { name: 'v', role: 'viewer' })
    const viewer = new Muster({ apiKey: key, baseUrl: app.url })
    await assert.rejects(viewer.tools.serve({ a: () => 1 }), { code: 'role_required' })
  })
})
