import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'
import { json, muster } from '../test-cli.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

describe('muster audit', () => {
  const app = fixture(() => startTestApp({ role: 'api' }))

  it('lists who changed what, filtered, as a table and as JSON', async () => {
    const { id } = await app.post('/v1/workflows', { name: 'w' })
    await app.call('PATCH', `/v1/workflows/${id}`, { body: { name: 'other' } })
    const call = (...args: string[]) =>
      muster(['audit', ...args, '--url', app.url], { env: { MUSTER_API_KEY: app.key } })
    const { stdout } = await call('--object', id)
    const [head, updated, created, ...rest] = stdout.trim().split('\n')
    assert.match(head ?? '', /^TIME +BY +ACTION +OBJECT +FIELDS$/)
    assert.match(
      updated ?? '',
      new RegExp(`first admin key +workflow.updated +${id} +name, version, last_version$`),
    )
    assert.match(created ?? '', /workflow\.created/)
    assert.deepEqual(rest, [])
    const filtered = json((await call('--action', 'workflow.updated', '--json')).stdout)
    assert.deepEqual(pluck(filtered, 'before', 'after'), [
      [
        { name: 'w', version: 1, last_version: 1 },
        { name: 'other', version: 2, last_version: 2 },
      ],
    ])
    const unknown = await call('--action', 'workflow.update')
    assert.equal(unknown.code, 2)
    assert.match(unknown.stderr, /did you mean workflow\.updated\?/)
    assert.equal((await call('--kind', 'activity', '--json')).stdout.trim(), '[]')
    assert.equal((await call('--after', '2999-01-01T00:00:00Z', '--json')).stdout.trim(), '[]')
  })
})
