import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Page } from './page.ts'
import { delay } from './time.ts'
import { Transport } from './transport.ts'

it('a list of very many pages is walked over a page at a time', async () => {
  const pages = 60_000
  const page = (number: number): Page<number> =>
    new Page([number], number < pages ? async () => page(number + 1) : undefined)
  let sum = 0
  for await (const number of page(1)) sum += number
  assert.equal(sum, (pages * (pages + 1)) / 2)
})

it('a pause of years does not end at once', async () => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error): number => warnings.push(name)
  process.on('warning', onWarning)
  const controller = new AbortController()
  const paused = delay(2 ** 40, controller.signal)
  await new Promise(setImmediate)
  controller.abort(new Error('enough'))
  await assert.rejects(paused, { message: 'enough' })
  process.off('warning', onWarning)
  assert.deepEqual(warnings, [])
})

it('a page keeps nothing of the call that loaded it, and its next page ends with either signal', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const answers = { link: '<http://127.0.0.1/v1/runs?after=c1>; rel="next"' }
  const transport = new Transport({
    maxRetries: 0,
    fetch: async (_url, init) => {
      init?.signal?.throwIfAborted()
      return Response.json({ data: [1] }, { headers: answers })
    },
  })
  const load = async (): Promise<{ page: Page<number>; signal: WeakRef<AbortSignal> }> => {
    const { signal } = new AbortController()
    const request = { method: 'GET', path: '/v1/runs' } as const
    return { page: await transport.page<number>(request, { signal }), signal: new WeakRef(signal) }
  }
  const { page, signal } = await load()
  // A weak reference holds its target until the end of the turn.
  await new Promise(setImmediate)
  collect()
  assert.equal(signal.deref(), undefined)
  assert.ok(page.hasNext)

  const stopped = AbortSignal.abort(new Error('enough'))
  await assert.rejects(async () => page.next(stopped), { message: 'enough' })
  const controller = new AbortController()
  const request = { method: 'GET', path: '/v1/runs' } as const
  const aborted = await transport.page<number>(request, { signal: controller.signal })
  controller.abort(new Error('enough of it'))
  await assert.rejects(async () => aborted.next(), { message: 'enough of it' })
})
