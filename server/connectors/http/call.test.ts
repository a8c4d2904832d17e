import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseAllowedNetworks } from '../../outbound/address.ts'
import { createOutbound } from '../../outbound/outbound.ts'
import { callHttp } from './call.ts'
import { startTestHttpApi } from './test-http-api.ts'

it('sends nothing once the name leads to another network', async () => {
  await using api = await startTestHttpApi()
  let address = '127.0.0.1'
  await using outbound = createOutbound({
    allowedNetworks: parseAllowedNetworks('127.0.0.1/32'),
    lookup: async () => [address],
  })
  const { port } = new URL(api.url)
  const connection = {
    base_url: `http://shop.test:${port}`,
    auth: { type: 'bearer' as const, token: 'secret-token' },
    headers: {},
  }
  const request = { method: 'POST' as const, path: '/orders', places: [] }
  const call = { accountId: 'acc_test', tokenKey: 'k', connection, request, isSafe: false }
  const services = { outbound, toolSettings: { timeoutMs: 5_000 } }
  const options = { idempotencyKey: 'call_1', signal: new AbortController().signal }
  const ask = async () => (await callHttp(services, call, {}, options)).result
  // The connection must not be kept, or the name would not be asked again.
  api.answer = (_, response) => response.setHeader('connection', 'close').end('{}')
  assert.equal((await ask()).status, 'succeeded')
  for (address of ['127.0.0.2', '169.254.169.254', '10.0.0.1', '::1']) {
    const { status, output } = await ask()
    assert.equal(status, 'failed')
    assert.match(output, /gave no answer: .*(not publicly reachable|http is accepted only)/)
    assert.doesNotMatch(output, /secret-token/)
  }
  assert.equal(api.requests.length, 1)
})
