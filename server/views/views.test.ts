import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { codeOf } from '../../test/api-client.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import { startTestApp } from '../../test/test-app.ts'

const app = fixture(() => startTestApp({ role: 'api' }))
const filters = {
  status: ['completed'],
  has_warnings: true,
  workflow_id: 'wf_1',
  tag: ['customer:acme'],
  min_cost_usd: 0.1,
  created_within_seconds: 604_800,
}
const create = (body: object, key = app.key) => app.call('POST', '/v1/views', { body, key })

describe('a saved view', () => {
  it('keeps filters under a name, and who created it', async () => {
    const made = await app.post('/v1/views', { name: 'Acme, warned', filters })
    const { key } = await app.get('/v1/account')
    assert.match(made.id, /^view_/)
    assert.deepEqual(made.filters, filters)
    assert.deepEqual(made.created_by, { type: 'key', id: key.id, name: key.name })
    assert.deepEqual(await app.get(`/v1/views/${made.id}`), made)
    assert.deepEqual(await app.get('/v1/views'), [made])
    const changed = await app.patch(`/v1/views/${made.id}`, { filters: { q: 'refund' } })
    assert.deepEqual([changed.name, changed.filters], ['Acme, warned', { q: 'refund' }])
    await app.delete(`/v1/views/${made.id}`)
    assert.deepEqual(await app.get('/v1/views'), [])
    const entries = await app.get(`/v1/audit?object_id=${made.id}`)
    assert.deepEqual(pluck(entries, 'action'), ['view.deleted', 'view.updated', 'view.created'])
  })

  it('has a name of its own in its account', async () => {
    const { id } = await app.post('/v1/views', { name: 'Mine', filters })
    const second = await app.post('/v1/views', { name: 'Yours', filters })
    const taken = await create({ name: 'Mine', filters })
    assert.deepEqual(codeOf(taken), [409, 'name_taken'])
    assert.match(taken.body.error.message, /Cannot create view: .* "Mine"/)
    const path = `/v1/views/${second.id}`
    assert.deepEqual(codeOf(await app.call('PATCH', path, { body: { name: 'Mine' } })), [
      409,
      'name_taken',
    ])
    // A change that keeps the name is none of this.
    await app.patch(`/v1/views/${id}`, { name: 'Mine', filters: { q: 'other' } })
    const other = await createAccount(app.database, 'another')
    assert.equal((await create({ name: 'Mine', filters }, other.adminKey)).status, 201)
  })

  it('is one of up to 100, also when many are created at once', async () => {
    const { adminKey: key } = await createAccount(app.database, 'full')
    const answers = await Promise.all(
      Array.from({ length: 104 }, (_, n) => create({ name: `View ${n}`, filters }, key)),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    assert.equal(refused.length, 4)
    for (const answer of refused) assert.deepEqual(codeOf(answer), [409, 'too_many_views'])
  })
})
