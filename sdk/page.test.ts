import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Page } from './page.ts'
import { delay } from './time.ts'

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
