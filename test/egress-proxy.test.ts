import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pino } from 'pino'
import { startProxy } from '../rig/proxy.ts'
import { startTestApp } from './test-app.ts'

it('MUSTER_EGRESS_PROXY carries the model calls of a service, and its password stays out of the log', async () => {
  await using proxy = await startProxy()
  const lines: string[] = []
  let port = ''
  await using app = await startTestApp({
    env: { MUSTER_EGRESS_PROXY: `http://muster:hush@127.0.0.1:${proxy.port}` },
    log: pino({ level: 'trace' }, { write: (line) => void lines.push(line) }),
    prepareModels: ({ providers }) => {
      for (const provider of providers as { base_url: string }[]) {
        port = new URL(provider.base_url).port
        provider.base_url = provider.base_url.replace('127.0.0.1', 'api.models.test')
      }
    },
  })
  const crew = [{ role: 'Echo', systemPrompt: 'Echo.' }]
  const workflow = await app.call('POST', '/v1/workflows', { body: { name: 'out', crew } })
  const path = `/v1/workflows/${workflow.body.data.id}/runs`
  const run = await app.call('POST', path, { body: { input: 'hello' } })
  const ended = await app.call('GET', `/v1/runs/${run.body.data.id}?wait=20`)
  assert.equal(ended.body.data.status, 'completed', JSON.stringify(ended.body))
  const authorization = `Basic ${Buffer.from('muster:hush').toString('base64')}`
  assert.deepEqual(proxy.asked, [{ authority: `api.models.test:${port}`, authorization }])
  assert.ok(lines.length > 0)
  assert.doesNotMatch(lines.join(''), /hush|bXVzdGVyOmh1c2g/)
})
