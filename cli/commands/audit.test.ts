import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../../test/test-app.ts'
import { json, muster } from '../test-cli.ts'

describe('muster audit', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ role: 'api' })
  })
  after(() => app[Symbol.asyncDispose]())

  it('lists who changed what, filtered, as a table and as JSON', async () => {
    const { id } = (await app.call('POST', '/v1/workflows', { body: { name: 'w' } })).body.data
    await app.call('PATCH', `/v1/workflows/${id}`, { body: { name: 'other' } })
    const call = (...args: string[]) =>
      muster(['audit', ...args, '--url', app.url], { env: { MUSTER_API_KEY: app.key } })
    const { stdout } = await call('--object', id)
    const [head, updated, created, ...rest] = stdout.trim().split('\n')
    assert.match(head ?? '', /^TIME +BY +ACTION +OBJECT +FIELDS$/)
    assert.match(updated ?? '', new RegExp(`first admin key +workflow.updated +${id} +name$`))
    assert.match(created ?? '', /workflow\.created/)
    assert.deepEqual(rest, [])
    const filtered = json((await call('--action', 'workflow.updated', '--json')).stdout)
    assert.deepEqual(
      filtered.map(({ before, after }: Record<string, unknown>) => [before, after]),
      [[{ name: 'w' }, { name: 'other' }]],
    )
    const unknown = await call('--action', 'workflow.update')
    assert.equal(unknown.code, 2)
    assert.match(unknown.stderr, /did you mean workflow\.updated\?/)
    assert.equal((await call('--after', '2999-01-01T00:00:00Z', '--json')).stdout.trim(), '[]')
  })
})
