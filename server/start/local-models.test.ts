import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { it } from 'node:test'
import { closeServer, listenOnLoopback } from '../../rig/loopback.ts'
import { parseAllowedNetworks } from '../outbound/address.ts'
import { findLocalServers, offerLocalServers } from './local-models.ts'

it('finds the model servers of this machine, and offers each as lines to copy', async () => {
  const answers: Record<string, [status: number, body: string]> = {
    ollama: [200, '{"object":"list","data":[{"id":"llama3.2:3b"},{"id":"bad id"},{}]}'],
    website: [200, '<html>'],
    closed: [401, '{"data":[]}'],
  }
  await using stack = new AsyncDisposableStack()
  const places = []
  for (const [id, [status, body]] of Object.entries(answers)) {
    const server = createServer((request, response) => {
      assert.equal(request.url, '/v1/models')
      response.writeHead(status, { connection: 'close' }).end(body)
    })
    stack.defer(() => closeServer(server))
    places.push({ id, port: await listenOnLoopback(server) })
  }
  const silent = createServer(() => {})
  stack.defer(() => closeServer(silent))
  places.push({ id: 'silent', port: await listenOnLoopback(silent) })

  const found = await findLocalServers(places)
  const port = places[0]?.port ?? 0
  assert.deepEqual(found, [{ id: 'ollama', port, models: ['llama3.2:3b'] }])
  const offer = offerLocalServers(found, parseAllowedNetworks(''))
  const command = `    npx muster model-providers set ollama --base-url http://127.0.0.1:${port}/v1`
  assert.ok(offer.includes(`${command}   # llama3.2:3b\n`), offer)
  assert.match(offer, /MUSTER_ALLOWED_NETWORKS=127\.0\.0\.0\/8/)
  assert.doesNotMatch(offerLocalServers(found, parseAllowedNetworks('127.0.0.0/8')), /ALLOWED/)
  assert.equal(offerLocalServers([], parseAllowedNetworks('')), '')
})
