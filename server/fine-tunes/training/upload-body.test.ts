import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { startTestApp } from '../../../test/test-app.ts'
import { createAccount } from '../../accounts/create-account.ts'

it('bodies that trickle in from two accounts keep no third from its own', async () => {
  await using app = await startTestApp({ role: 'api' })
  const [slow, third] = [
    await createAccount(app.database, 'slow'),
    await createAccount(app.database, 'third'),
  ]
  const sockets: Socket[] = []
  try {
    for (const key of [app.key, slow.adminKey]) {
      for (let number = 0; number < 6; number++) sockets.push(await trickle(app.url, key))
    }
    const training_data = Array.from({ length: 10 }, (_, number) =>
      JSON.stringify({ input: `Question ${number}?`, output: 'Yes.' }),
    ).join('\n')
    const body = {
      name: 'n',
      base_model: 'gpt-4.1-mini-2025-04-14',
      source: 'upload',
      training_data,
    }
    const { status } = await app.call('POST', '/v1/fine-tunes/preview', {
      key: third.adminKey,
      body,
    })
    assert.equal(status, 200)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

/** Starts a request whose body stops after its beginning. */
async function trickle(url: string, key: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const head = [
    'POST /v1/fine-tunes/preview HTTP/1.1',
    'host: x',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    'content-length: 1000000',
  ].join('\r\n')
  await new Promise<void>((resolve) => socket.write(`${head}\r\n\r\n{"name":`, () => resolve()))
  return socket
}
