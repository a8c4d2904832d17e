import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fixture } from '../../../../test/fixture.ts'
import { startTestApp } from '../../../../test/test-app.ts'
import { compareZones } from './compare-zones.ts'

const app = fixture(() => startTestApp())

it('finds the zones of schedules for which the database knows other rules', async () => {
  const workflow_id = await app.createWorkflow({ crew: [{ role: 'r', systemPrompt: 's' }] })
  const create = (time_zone: string, cron: string, fields: object = {}) =>
    app.post('/v1/schedules', { workflow_id, cron, time_zone, input: 'x', ...fields })
  await create('Asia/Tokyo', '0 9 * * *')
  await create('Asia/Tokyo', '0 10 * * *')
  await create('Asia/Kolkata', '0 9 * * *')
  await create('Asia/Dubai', '0 9 * * *', { status: 'paused' })
  assert.deepEqual(await compareZones(app.database), [])
  const hour = 3_600_000
  const found = await compareZones(app.database, (zone) =>
    zone === 'Asia/Tokyo' ? 8 * hour : 5.5 * hour,
  )
  assert.deepEqual(
    found.map(({ zone, here, there }) => [zone, here, there]),
    [['Asia/Tokyo', 480, 540]],
  )
})
