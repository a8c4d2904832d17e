import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'
import { json, muster, type Finished } from '../test-cli.ts'
import { fixture } from '../../test/fixture.ts'

describe('muster keys', () => {
  const app = fixture(() => startTestApp({ role: 'api' }))

  function call(args: string[], key = app.key): Promise<Finished> {
    return muster([...args, '--url', app.url], { env: { MUSTER_API_KEY: key } })
  }

  it('makes a key that works, lists it without its secret, and revokes it', async () => {
    const create = ['keys', 'create', '--name', 'reader', '--role', 'viewer']
    const made = json(
      (await call([...create, '--expires', '2099-01-01T00:00:00Z', '--json'])).stdout,
    )
    assert.match(made.key, /^mst_/)
    assert.equal((await call(['workflows', 'list'], made.key)).code, 0)

    const approver = await call(['keys', 'create', '--name', 'answers', '--role', 'approver'])
    assert.equal(approver.code, 0)

    const list = await call(['keys', 'list'])
    assert.match(list.stdout, /answers +approver +mst_/)
    assert.match(list.stdout, /reader +viewer +mst_\w{6} +2099-01-01 00:00/)
    assert.ok(!list.stdout.includes(made.key))

    const revoked = await call(['keys', 'revoke', made.id])
    assert.deepEqual([revoked.code, revoked.stdout], [0, `Revoked ${made.id}.\n`])
    const refused = await call(['workflows', 'list'], made.key)
    assert.equal(refused.code, 6)
    assert.equal((await call(['keys', 'revoke', made.id])).code, 5)
  })

  it('ends with 6 when the key may not do it, with 2 for a wrong time', async () => {
    const create = ['keys', 'create', '--name', 'm', '--role', 'member']
    const text = await call(create)
    assert.match(text.stdout, /key +mst_\w+ {2}\(shown only once\)/)
    const key = /mst_\w{46}/.exec(text.stdout)?.[0] as string
    const { code, stderr } = await call([...create, '--json'], key)
    assert.equal(code, 6)
    assert.equal(json(stderr).error.code, 'role_required')
    const late = await call([...create, '--expires', 'tomorrow'])
    assert.equal(late.code, 2)
    assert.match(late.stderr, /expires_at is "tomorrow"/)
  })
})
