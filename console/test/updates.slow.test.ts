import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { setScene } from './scene.ts'

const { it } = setScene()

/** An hour with a changed run a second, ten times as fast as the list takes it up. */
const updates = 3_600
const perRound = 60

it('a list of runs that is updated for an hour keeps nothing of it', async (given) => {
  const { page, context, muster } = given
  const workflow = await muster.workflows.create({ name: 'Updates' })
  const runs = await Promise.all(
    Array.from({ length: 20 }, (_, at) => muster.runs.create(workflow.id, { input: `run ${at}` })),
  )
  for (const { id } of runs) await muster.runs.wait(id)
  await page.clock.install()
  await page.goto(`/runs?workflow=${workflow.id}`)
  await page.getByText('run 19').first().waitFor()
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable')
  const measure = async () => {
    await session.send('HeapProfiler.collectGarbage')
    const { metrics } = await session.send('Performance.getMetrics')
    const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0
    return { mb: of('JSHeapUsedSize') / 1e6, listeners: of('JSEventListeners'), nodes: of('Nodes') }
  }
  let requests = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/v1/runs') requests++
  })
  const seen: Awaited<ReturnType<typeof measure>>[] = []
  for (let done = 0; done < updates; done += perRound) {
    await muster.runs.create(workflow.id, { input: `update ${done}` })
    // The pauses between two readings pass at once.
    await page.clock.runFor(perRound * 1_000)
    await delay(200)
    if (done % (10 * perRound) === 0) seen.push(await measure())
  }
  const [, second, ...later] = seen
  const last = later.at(-1)
  assert.ok(second && last)
  assert.ok(requests >= updates / perRound, `the list was read ${requests} times`)
  assert.ok(last.mb - second.mb < 3, `the heap grew: ${JSON.stringify(seen)}`)
  assert.ok(last.listeners - second.listeners < 50, `listeners grew: ${JSON.stringify(seen)}`)
})
