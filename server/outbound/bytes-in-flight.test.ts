import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startReceiver } from '../../rig/receiver.ts'
import { ByteBudget } from '../byte-budget.ts'
import { fails, open } from './test-call.ts'

const MiB = 1024 * 1024

it('answers held open are bounded by account and in all, small ones pass all the same', async () => {
  await using receiver = await startReceiver((request, response) => {
    response.write('x'.repeat(Number(request.url?.slice(1))))
  })
  const limits = { free: 10_000, perAccount: 3 * MiB, all: 4 * MiB }
  await using transport = open({ inFlight: new ByteBudget(limits) })
  const ending = new AbortController()
  const stream = async (accountId: string, bytes: number, signal = ending.signal) => {
    const url = `http://receiver.test:${receiver.port}/${bytes}`
    const { body } = await transport.stream(url, {
      method: 'GET',
      timeoutMs: 60_000,
      maxResponseBytes: 5 * MiB,
      allowHttp: true,
      accountId,
      signal,
    })
    for (let size = 0; size < bytes;) size += (await body.next()).value?.length ?? Infinity
    return body
  }
  const first = await stream('a', 2 * MiB)
  await assert.rejects(stream('a', 2 * MiB), fails('too_large', /for the account have more than 3/))
  await stream('a', 9_000)
  await stream('b', MiB)
  await assert.rejects(stream('c', 2 * MiB), fails('too_large', /for all accounts have more/))
  await stream('c', 9_000)
  // The bytes of an ended stream no longer count.
  await first.return()
  await stream('a', 2 * MiB)
  ending.abort()
})
