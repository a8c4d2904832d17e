import assert from 'node:assert/strict'
import { it } from 'node:test'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { createTransport, withDefaultPath } from './transport.ts'

it('an answer reads as that of any fetch: text, JSON, status and headers', async () => {
  const texts = ['{"text":"Grüße"}', '', '\uFEFF{}', '<html>']
  await using server = await startScriptedServer((response, call) =>
    send(response, texts[call - 1] ?? '', call === 4 ? 502 : 200, { 'x-request-id': 'r1' }),
  )
  await using transport = createTransport({ maxConcurrency: 1 })
  for (const text of texts) {
    const answer = await transport.fetch(server.url)
    assert.equal(await answer.text(), text.replace('\uFEFF', ''))
    assert.equal(answer.headers.get('X-Request-Id'), 'r1')
    assert.equal(answer.ok, text !== '<html>')
  }
})

it('an answer without a body, or with a header that fetch would refuse, is an answer', async () => {
  await using server = await startScriptedServer((response, call) => {
    if (call === 1) response.writeHead(204).end()
    else
      response.socket?.end(
        'HTTP/1.1 200 OK\r\nx-note: caf\u00e9 \u2713\r\nx-request-id: r2\r\ncontent-length: 2\r\n\r\nok',
      )
  })
  await using transport = createTransport({ maxConcurrency: 1 })
  assert.equal((await transport.fetch(server.url)).status, 204)
  const answer = await transport.fetch(server.url)
  assert.deepEqual([await answer.text(), answer.headers.get('x-request-id')], ['ok', 'r2'])
})

it('an address without a path gets the usual one', () => {
  const usual = 'https://api.example.com/v1'
  assert.equal(withDefaultPath(undefined, usual), usual)
  assert.equal(withDefaultPath('https://proxy.example', usual), 'https://proxy.example/v1')
  assert.equal(withDefaultPath('https://proxy.example/x/', usual), 'https://proxy.example/x')
})
