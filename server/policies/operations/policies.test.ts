import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp } from '../../../test/test-app.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { fixture } from '../../../test/fixture.ts'

const app = fixture(() => startTestApp({ role: 'api' }))

const defaults = {
  approvals_floor: 'none',
  four_eyes: false,
  require_pending_id: false,
  web_fetch_hosts: null,
  sensitive_actions: [],
  rules: [],
  mails_a_day: null,
  updated_at: null,
}
const read = async (key?: string) =>
  (await app.call('GET', '/v1/policies', key === undefined ? {} : { key })).body.data
const change = (body: unknown) => app.call('PATCH', '/v1/policies', { body })

describe('policies', () => {
  it('bind nobody before an admin sets them', async () => {
    assert.deepEqual(await read(), defaults)
  })

  it('keep what is not given, and are of one account alone', async () => {
    const { adminKey } = await createAccount(app.database, 'another')
    const hosts = ['docs.example.com', '*.example.org', 'localhost']
    assert.equal((await change({ four_eyes: true, web_fetch_hosts: hosts })).status, 200)
    const { body } = await change({
      approvals_floor: 'sensitive',
      sensitive_actions: ['web.fetch'],
      mails_a_day: 0,
    })
    assert.ok(body.data.updated_at !== null)
    assert.deepEqual(await read(), {
      ...defaults,
      four_eyes: true,
      web_fetch_hosts: hosts,
      approvals_floor: 'sensitive',
      sensitive_actions: ['web.fetch'],
      mails_a_day: 0,
      updated_at: body.data.updated_at,
    })
    assert.deepEqual(await read(adminKey), defaults)
    await change({ web_fetch_hosts: null, mails_a_day: null })
    const { web_fetch_hosts, mails_a_day } = await read()
    assert.deepEqual([web_fetch_hosts, mails_a_day], [null, null])
  })

  it('refuse what is no host or no action, and say where', async () => {
    const wrong: [unknown, string][] = [
      [{ web_fetch_hosts: ['https://example.com'] }, 'web_fetch_hosts[0]'],
      [{ web_fetch_hosts: ['Example.com'] }, 'web_fetch_hosts[0]'],
      [{ sensitive_actions: ['ok.action', 'fetch'] }, 'sensitive_actions[1]'],
    ]
    for (const [body, param] of wrong) {
      const answer = await change(body)
      assert.deepEqual([answer.status, answer.body.error?.param], [400, param])
    }
  })
})
