import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { leaveTimeOfDay } from '../../rig/day.ts'
import { startTestApp } from '../../test/test-app.ts'
import { json, muster, type Finished } from '../test-cli.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

describe('muster usage', () => {
  let today: string
  const app = fixture(() => startTestApp())
  prepare(async () => {
    await leaveTimeOfDay(60_000)
    today = new Date().toISOString().slice(0, 10)
    const crew = [{ role: 'writer', systemPrompt: 's' }]
    const { id } = await app.post('/v1/workflows', { name: 'Mail', crew })
    for (const customer of ['a', 'b']) {
      const body = { input: 'x', tags: { customer } }
      const run = await app.post(`/v1/workflows/${id}/runs`, body)
      await app.call('GET', `/v1/runs/${run.id}?wait=30`)
    }
  })

  function call(...args: string[]): Promise<Finished> {
    return muster(['usage', ...args, '--url', app.url], { env: { MUSTER_API_KEY: app.key } })
  }

  it('shows a table by day, by the names of workflows, and by model without runs', async () => {
    const [head, ...rows] = (await call()).stdout.trim().split('\n')
    assert.match(head ?? '', /^GROUP +RUNS +FAILED +CANCELLED +STEPS +IN +OUT +P50 +P95 +COST$/)
    assert.equal(rows.length, 1)
    assert.match(rows[0] ?? '', new RegExp(`^${today} +2 +0 +0 +2 +20 +10 +\\d.*\\$0\\.00004$`))
    assert.match((await call('--group-by', 'workflow')).stdout, /\nMail +2 /)
    assert.match((await call('--group-by', 'agent')).stdout, /\nno agent +2 +20 /)
    assert.match((await call('--group-by', 'model')).stdout, /^GROUP +STEPS .*\ntest\/echo +2 /)
  })

  it('answers JSON and CSV, of a range', async () => {
    const found = json((await call('--group-by', 'tag:customer', '--limit', '1', '--json')).stdout)
    assert.deepEqual(pluck(found, 'tag', 'runs'), [['a', 1]])
    const { stdout } = await call('--group-by', 'tag:customer', '--csv')
    assert.match(stdout, /^tag,runs,[^]*\r\na,1,1,0,0,1,10,5,0\.00002,\d+,\d+,0\r\nb,1,/)
    assert.equal((await call('--to', today, '--json')).stdout.trim(), '[]')
  })

  it('says what it expects', async () => {
    const { code, stderr } = await call('--from', 'monday')
    assert.equal(code, 2)
    assert.match(stderr, /Cannot list usage: from is "monday", expected a day in UTC/)
  })
})
