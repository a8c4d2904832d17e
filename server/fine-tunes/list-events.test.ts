import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../../test/test-app.ts'
import { providerIds } from './providers/settings.ts'
import { startTrainer, type TrainerJob } from '../../rig/trainer.ts'
import { prepare, fixture } from '../../test/fixture.ts'

for (const shape of providerIds) {
  describe(`the log of a fine-tune at a provider of the shape of ${shape}`, () => {
    let app: TestApp
    let job: TrainerJob
    let path: string
    const trainer = fixture(() => startTrainer(shape))
    prepare(async () => {
      const name = shape.toUpperCase()
      app = await startTestApp({
        role: 'api',
        env: { [`${name}_API_KEY`]: 'key', [`${name}_BASE_URL`]: trainer.url },
      })
      const body = {
        name: 'Long',
        base_model: shape === 'openai' ? 'gpt-4.1-mini-2025-04-14' : 'mistral-small-latest',
        source: 'upload',
        training_data: '{"input":"a","output":"b"}\n'.repeat(10),
      }
      const made = await app.call('POST', '/v1/fine-tunes', { body })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      path = `/v1/fine-tunes/${made.body.data.id}/events`
      job = trainer.jobs[0] as TrainerJob
      // Some events share a second, also across the ends of pages.
      const second = Math.floor(Date.now() / 1000)
      job.events = Array.from({ length: 205 }, (_, number) => ({
        at: second + Math.floor(number / 7),
        status: 'running',
        error: `event ${number}`,
      }))
    })
    after(async () => {
      await app[Symbol.asyncDispose]()
    })

    const get = (url: string) => app.call('GET', url)
    const numbersOf = (data: { message: string }[]) =>
      data.map(({ message }) => Number(/event (\d+)/.exec(message)?.[1]))
    const nextOf = (headers: Headers) => /<(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    const count = (length: number) => Array.from({ length }, (_, number) => number)

    it('is whole where nothing is asked for', async () => {
      const { body, headers } = await get(path)
      assert.deepEqual(numbersOf(body.data), count(205))
      assert.deepEqual(Object.keys(body.data[0]).sort(), ['at', 'level', 'message'])
      assert.equal(headers.get('link'), null)
    })

    it('comes in pages, each event once, also those that come meanwhile', async () => {
      const first = await get(`${path}?limit=10`)
      assert.deepEqual(numbersOf(first.body.data), count(10))
      job.events.push({ at: job.events.at(-1)?.at ?? 0, status: 'running', error: 'event 205' })
      // Providers return the events of one second in any order.
      job.events.reverse()
      await app.sql`update fine_tunes set events_polled_at = null`
      const seen = numbersOf(first.body.data)
      let pages = 1
      for (let next = nextOf(first.headers); next !== undefined; pages++) {
        const { status, body, headers } = await get(next)
        assert.equal(status, 200, JSON.stringify(body))
        seen.push(...numbersOf(body.data))
        next = nextOf(headers)
      }
      assert.deepEqual(seen, count(206))
      assert.equal(pages, 21)
    })

    it('goes on behind a cursor to its end where no limit is given', async () => {
      const { headers } = await get(`${path}?limit=100`)
      const next = new URL(nextOf(headers) ?? '', app.url)
      next.searchParams.delete('limit')
      const { body } = await get(next.pathname + next.search)
      assert.deepEqual(
        numbersOf(body.data),
        count(206).filter((number) => number >= 100),
      )
    })
  })
}
