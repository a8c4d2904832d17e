import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'

/** More rows than fit into the buffers of a connection. */
const rows = 6_000
const bytesOfRow = 8_000

it('an export ends with the key that asked for it, and leaves its place to others', async () => {
  await using app = await startTestApp({ role: 'api' })
  const { accountId } = app
  await app.sql`
    insert into audit (account_id, id, actor_type, actor_name, action, object_type, object_id, after)
    select ${accountId}, 'aud_' || n, 'system', 'test', 'workflow.updated', 'workflow', 'wf_1',
           json_build_object('text', repeat('x', ${bytesOfRow}::int))
    from generate_series(1, ${rows}::int) as n`
  const { id, key } = await app.post('/v1/api-keys', { name: 'leaves', role: 'admin' })
  const begin = async (by: string): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
    const response = await fetch(`${app.url}/v1/account/export`, {
      headers: { authorization: `Bearer ${by}` },
      // An account may have one export at a time; a second one waits for 30 seconds.
      signal: AbortSignal.timeout(20_000),
    })
    assert.equal(response.status, 200)
    assert.ok(response.body)
    return response.body.getReader()
  }
  const first = await begin(key)
  await first.read()
  await app.call('DELETE', `/v1/api-keys/${id}`)
  const second = await begin(app.key)
  await second.cancel()
  const readOn = async (): Promise<void> => {
    while (!(await first.read()).done);
  }
  await assert.rejects(readOn(), /terminated/)
})
