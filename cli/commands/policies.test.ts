import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'
import { muster, type Finished } from '../test-cli.ts'
import { fixture } from '../../test/fixture.ts'

describe('muster policies', () => {
  const app = fixture(() => startTestApp({ role: 'api' }))

  function call(...args: string[]): Promise<Finished> {
    return muster(['policies', ...args, '--url', app.url], { env: { MUSTER_API_KEY: app.key } })
  }

  it('shows them and sets the given ones', async () => {
    assert.match((await call('show')).stdout, /web\.fetch hosts +any\n[^]*mails a day +no limit/)
    const hosts = ['--web-fetch-hosts', 'a.example.com, *.example.org']
    const set = await call('set', '--four-eyes', 'on', ...hosts, '--mails-a-day', '20')
    assert.equal(set.code, 0)
    assert.match(set.stdout, /four eyes +on\n[^]*hosts +a\.example\.com, \*\.example\.org\n/)
    const again = await call('set', '--web-fetch-hosts', 'none', '--mails-a-day', 'any')
    assert.match(again.stdout, /four eyes +on\n[^]*hosts +none\n[^]*mails a day +no limit/)
  })

  it('ends with 2 for what is no switch and no number, and where nothing is given', async () => {
    const before = (await call('show')).stdout
    const { code, stderr } = await call('set')
    assert.deepEqual([code, /nothing to change; see muster policies set/.test(stderr)], [2, true])
    assert.equal((await call('show')).stdout, before)
    for (const wrong of ['--four-eyes', '--mails-a-day']) {
      assert.equal((await call('set', wrong, 'yes')).code, 2)
    }
  })
})
