import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import pino from 'pino'
import { SMTPServer } from 'smtp-server'
import type { Context } from '../context.ts'
import { mailInvitation } from './mail-invitation.ts'
import { pluck } from '../../test/pluck.ts'

it('an invitation is mailed to its address alone, whatever a list of addresses would be made of it', async () => {
  const received: string[][] = []
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, { envelope: { rcptTo } }, done) => {
      received.push(pluck(rcptTo, 'address'))
      stream.resume().on('end', () => done())
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const smtp = { host: '127.0.0.1', port, secure: false, from: 'muster@example.com' }
  const ctx = {
    toolSettings: { smtp } as unknown as Context['toolSettings'],
    log: pino({ level: 'silent' }),
  }
  for (const email of ['ada@example.com', 'team:bob@example.com', 'a,b@example.com']) {
    assert.equal(await mailInvitation(ctx, email, 'https://muster.example.com/#x'), true)
  }
  await new Promise<void>((resolve) => server.close(resolve))
  assert.deepEqual(received, [
    ['ada@example.com'],
    ['"team:bob"@example.com'],
    ['"a,b"@example.com'],
  ])
})
