import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'
import { json, muster } from '../test-cli.ts'
import { pluck } from '../../test/pluck.ts'

void it('muster models list shows prices, ends, and what can be run', async () => {
  await using app = await startTestApp()
  const list = (...args: string[]) =>
    muster(['models', 'list', ...args, '--url', app.url], { env: { MUSTER_API_KEY: app.key } })
  const table = (await list()).stdout
  assert.match(table, /^ID +PROVIDER +IN +CACHED +OUT +ENDS +STATE\n/)
  assert.match(table, /\ngpt-4\.1 +openai +2 +0\.5 +8 +2027-01-14 +no key\n/)
  assert.match(table, /\ntest\/echo .* default\n/)
  const ready = json((await list('--available', '--json')).stdout)
  assert.deepEqual(pluck(ready, 'id'), ['test/echo', 'muster/demo'])
  const first = json((await list('--available', '--limit', '1', '--json')).stdout)
  assert.deepEqual(first, ready.slice(0, 1), 'of those that can be run')
})
