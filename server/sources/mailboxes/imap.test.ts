import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, it } from 'node:test'
import { listenOnLoopback } from '../../../rig/loopback.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { ImapError, withImap } from './imap.ts'

const sockets = new Set<Socket>()
after(() => {
  for (const socket of sockets) socket.destroy()
})

/** A server that logs anybody in, and answers the next command with bytes that never end. */
async function hostileServer(
  start: string,
  part: string,
): Promise<{ port: number; sent: () => number }> {
  let sent = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.write('* OK [CAPABILITY IMAP4rev1] ready\r\n')
    socket.on('data', (data) => {
      for (const line of data.toString().trim().split('\r\n')) {
        const [tag = '', command = ''] = line.split(' ')
        if (/^(LOGIN|CAPABILITY|ID|ENABLE|NAMESPACE|LIST)$/i.test(command)) {
          socket.write(`${tag} OK done\r\n`)
          continue
        }
        socket.write(start)
        const more = (): void => {
          while (!socket.destroyed) {
            sent += part.length
            if (!socket.write(part)) break
          }
        }
        socket.on('drain', more)
        more()
      }
    })
  })
  const port = await listenOnLoopback(server)
  after(() => server.close())
  return { port, sent: () => sent }
}

const text = 'x'.repeat(65_536)
for (const [what, start, part, limitBytes] of [
  ['line', '* OK ', text, 512 * 1024],
  ['answer of many parts', '* 1 FETCH (', ` {${text.length}}\r\n${text}`, 41 * 1024 * 1024],
] as const) {
  it(`an endless ${what} of a server ends the session`, async () => {
    const { port, sent } = await hostileServer(start, part)
    const outbound = {
      connect: async () => connect(port, '127.0.0.1'),
    } as unknown as Outbound
    const server = {
      host: '127.0.0.1',
      port,
      secure: 'none' as const,
      username: 'a',
      password: 'b',
    }
    await assert.rejects(
      withImap(outbound, server, (client) => client.mailboxOpen('INBOX')),
      (error: Error) => error instanceof ImapError && /cannot be used/.test(error.message),
    )
    // Beyond the limit, only what was on its way.
    assert.ok(sent() < limitBytes + 16 * 1024 * 1024, `${sent()} bytes were read`)
  })
}
