import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { until } from '../../../rig/until.ts'
import { startTestApp } from '../../../test/test-app.ts'
import { leaseTimes } from './leases.ts'
import { Queue } from './queue.ts'

it('GET /v1/workers counts the processes that carry runs, until they stop or are silent', async () => {
  await using app = await startTestApp({ role: 'api' })
  const read = async () => await app.get('/v1/workers')
  assert.deepEqual(await read(), { alive: 0, last_seen_at: null })
  await using _all = await app.startAnother('all')
  {
    await using _worker = await app.startAnother('worker')
    await until('both are counted', 20_000, async () => (await read()).alive === 2)
  }
  assert.equal((await read()).alive, 1)
  // It may say so again at any moment.
  await until('it is not counted when it is silent', 20_000, async () => {
    await sql`update workers set seen_at = now() - interval '20 seconds'`.execute(app.database)
    return (await read()).alive === 0
  })
})

it('processes that carry runs read the notes of the others', async () => {
  await using app = await startTestApp({ role: 'api' })
  const { database } = app
  const times = leaseTimes(4_000)
  const open = (): Promise<Queue> => Queue.open({ database, supervision: database, times })
  const [a, b] = await Promise.all([open(), open()])
  assert.deepEqual(await a.announce({ says: 1 }), [])
  await b.announce({ says: 2 })
  await sql`insert into workers (id) values ('older')`.execute(database)
  await b.announce({ says: 3 })
  await b.withdraw()
  const peers = await a.announce({ says: 4 })
  const told = peers.map(({ note, isAlive }) => ({ note, isAlive }))
  assert.equal(told.length, 2)
  assert.ok(told.some(({ note, isAlive }) => note?.says === 3 && !isAlive))
  assert.ok(told.some(({ note, isAlive }) => note === null && isAlive))
  assert.ok(peers.every(({ silentMs }) => silentMs >= 0 && silentMs < 60_000))
})
