import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startLoginServer } from '../../../rig/login-server.ts'
import { until } from '../../../rig/until.ts'
import { startTestApp } from '../../../test/test-app.ts'

it('a login lives through ten expiries in two processes, with one refresh for each', async () => {
  await using app = await startTestApp({ intervals: { loginsMs: 25 } })
  await using _second = await app.startAnother('all')
  await using login = await startLoginServer(`${app.url}/oauth/callback`)
  login.tokenSeconds = 2
  const admin = await app.join('Ada', 'admin')
  const people = [admin, await app.join('Bob', 'member'), await app.join('Eve', 'member')]
  const body = { kind: 'mcp', url: login.mcp.url, credentials: 'person' }
  await app.put('/v1/connectors/notes', body)
  for (const person of people) {
    login.subject = person.name
    const begun = await person.call('POST', '/v1/connectors/notes/authorize', {})
    const callback = await login.visit(begun.body.data.authorize_url)
    const headers = { cookie: person.cookie }
    assert.equal((await fetch(callback, { redirect: 'manual', headers })).status, 303)
  }
  const countOf = (name: string) => login.refreshes.filter((one) => one === name).length
  await until('ten refreshes of each', 60_000, () =>
    people.every(({ name }) => countOf(name) >= 10),
  )
  const rows = await app.sql<{ ended: boolean; left: number }>`
    select needs_login_since is not null as ended,
           extract(epoch from expires_at - now())::float8 as left from connector_logins`
  assert.deepEqual(
    rows.map(({ ended }) => ended),
    [false, false, false],
    'a refresh token that is sent twice ends its login',
  )
  for (const person of people) {
    const list = (await person.call('GET', '/v1/connectors')).body.data
    assert.equal(list.find(({ id }: { id: string }) => id === 'notes').state, 'working')
  }
})
