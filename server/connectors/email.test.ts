import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { checkInput } from '../tools/check-input.ts'
import { makeCertificate } from '../../rig/certificate.ts'
import { startRawReceiver } from '../../rig/receiver.ts'
import { findBuiltInConnector } from './built-ins.ts'
import { createTestTools, idempotencyKey } from './test-services.ts'
import { pluck } from '../../test/pluck.ts'

const login = { user: 'muster', pass: 'hunter2-secret' }
const from = 'Muster <muster@example.com>'
const mail = { to: 'ada@example.org', subject: 'Grüße', text: 'Hello,\n.\nworld' }
const inputSchema = findBuiltInConnector('email')?.actions[0]?.inputSchema ?? {}

interface Received {
  raw: Buffer
  from: string
  to: string[]
  secure: boolean
}

/** An SMTP server on loopback that accepts one login. */
async function startMailServer(options: SMTPServerOptions = {}) {
  const received: Received[] = []
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) => {
      if (username === login.user && password === login.pass) done(null, { user: username })
      else done(new Error(`Invalid login ${password}`))
    },
    onRcptTo: ({ address }, _session, done) => {
      done(address.startsWith('nobody@') ? new Error('no such mailbox') : null)
    },
    onData: (stream, { envelope: { mailFrom, rcptTo }, secure }, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const from = mailFrom === false ? '' : mailFrom.address
        const to = pluck(rcptTo, 'address')
        received.push({ raw: Buffer.concat(parts), from, to, secure })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const listening = Promise.withResolvers<void>()
  const handle = server.listen(0, '127.0.0.1', () => listening.resolve())
  await listening.promise
  const { port } = handle.address() as { port: number }
  return {
    received,
    credentials: { host: 'mail.test', port, secure: false, from, ...login },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

describe('email.send', () => {
  it('sends a message that says what was asked, under an id made of the idempotency key', async () => {
    await using server = await startMailServer()
    await using tools = createTestTools()
    const input = { ...mail, to: 'ada@example.org, bob@example.org', cc: 'eve@example.org' }
    const result = await tools.call('email.send', input, server.credentials)
    assert.deepEqual(result, { status: 'succeeded', output: 'Sent to the mail server.' })
    await tools.call('email.send', input, server.credentials)
    const [first, second] = server.received
    assert.deepEqual(
      [first?.from, first?.to],
      ['muster@example.com', ['ada@example.org', 'bob@example.org', 'eve@example.org']],
    )
    const parsed = await PostalMime.parse(first?.raw ?? '')
    assert.deepEqual(parsed.from, { name: 'Muster', address: 'muster@example.com' })
    assert.deepEqual(
      parsed.to?.map(({ address }) => address),
      ['ada@example.org', 'bob@example.org'],
    )
    assert.deepEqual(
      parsed.cc?.map(({ address }) => address),
      ['eve@example.org'],
    )
    assert.equal(parsed.subject, 'Grüße')
    assert.equal(parsed.text?.trim(), mail.text)
    assert.deepEqual(parsed.attachments, [])
    assert.match(parsed.messageId ?? '', /^<[0-9a-f]{40}@example\.com>$/)
    const again = await PostalMime.parse(second?.raw ?? '')
    assert.equal(again.messageId, parsed.messageId)
    assert.ok(!first?.raw.toString().includes(idempotencyKey))
  })

  it('says nothing to a server that is reached when the call is over', async () => {
    let talks = 0
    await using server = await startMailServer({
      onMailFrom: (_address, _session, done) => {
        talks += 1
        done()
      },
    })
    await using tools = createTestTools()
    const { outbound } = tools.services
    const ending = new AbortController()
    tools.services.outbound = {
      ...outbound,
      connect: async (target) => {
        const socket = await outbound.connect(target)
        ending.abort()
        return socket
      },
    }
    const result = await tools.call('email.send', mail, server.credentials, ending.signal)
    assert.equal(result.status, 'failed')
    assert.deepEqual([talks, server.received], [0, []])
  })

  it('lets nothing into the headers or the envelope', async () => {
    const validate = (input: object) => checkInput({ inputSchema }, input) === undefined
    const bad: Record<string, string>[] = [
      { subject: 'a\r\nBcc: eve@example.org' },
      { subject: 'a\nX: y' },
      { subject: '' },
      { to: 'ada@example.org\r\nBcc: eve@example.org' },
      { to: 'ada@example.org\n' },
      { to: 'ada@example.org> SIZE=1' },
      { to: 'Ada <ada@example.org> <b@c.d>' },
      { to: 'ada\u200b@example.org' },
      { to: 'group: ada@example.org, bob@example.org;' },
      { to: 'ada' },
      { to: '' },
      { to: Array.from({ length: 21 }, (_, i) => `a${i}@example.org`).join(',') },
      { cc: 'x@y.z\0' },
      { text: '' },
      { attachments: '/etc/passwd' },
    ]
    for (const change of bad) {
      assert.equal(validate({ ...mail, ...change }), false, JSON.stringify(change))
    }
    for (const to of [
      'a+b@x.example, c@localhost',
      'Ada Lovelace <ada@x.example>, b@c.d',
      'jürgen@bücher.example',
    ])
      assert.equal(validate({ ...mail, to, cc: 'd@e.f' }), true, to)

    await using server = await startMailServer()
    await using tools = createTestTools()
    const sly = 'x\n.\nMAIL FROM:<eve@example.org>\nBcc: eve@example.org'
    const input = { ...mail, subject: 'Bcc: eve@example.org =?utf-8?Q?=0D=0AX?=', text: sly }
    await tools.call('email.send', input, server.credentials)
    // Input that the schema would have refused is harmless as well.
    const injected = { ...mail, subject: 'a\r\nBcc: eve@example.org' }
    await tools.call('email.send', injected, server.credentials)
    assert.equal(server.received.length, 2)
    for (const { raw, to } of server.received) {
      assert.deepEqual(to, ['ada@example.org'])
      const parsed = await PostalMime.parse(raw)
      assert.equal(parsed.bcc, undefined)
    }
    const parsed = await PostalMime.parse(server.received[0]?.raw ?? '')
    assert.equal(parsed.text?.trim(), sly)
  })

  it('arrives as it was approved: a subject that looks encoded, names of any kind', async () => {
    await using server = await startMailServer()
    await using tools = createTestTools()
    const subject = 'Re: =?utf-8?Q?=41?= and 100 %'
    const input = { ...mail, subject, to: 'Ada Lovelace <ada@example.org>' }
    const from = 'Sales [EU]: Ann, Bob <desk@example.com>'
    await tools.call('email.send', input, { ...server.credentials, from })
    const parsed = await PostalMime.parse(server.received[0]?.raw ?? '')
    assert.equal(parsed.subject, subject)
    assert.deepEqual(
      [parsed.from, parsed.to?.[0]].map((one) => [one?.name, one?.address]),
      [
        ['Sales [EU]: Ann, Bob', 'desk@example.com'],
        ['Ada Lovelace', 'ada@example.org'],
      ],
    )
  })

  it('says where a server takes no letters outside ASCII, or no TLS from the first byte', async () => {
    await using server = await startMailServer({ hideSMTPUTF8: true })
    await using tools = createTestTools()
    const input = { ...mail, to: 'jürgen@example.org' }
    const local = await tools.call('email.send', input, server.credentials)
    assert.equal(local.status, 'failed')
    assert.match(local.output, /takes no address with letters outside ASCII/)
    const domain = await tools.call(
      'email.send',
      { ...mail, to: 'ada@bücher.example' },
      server.credentials,
    )
    assert.equal(domain.status, 'succeeded')
    assert.deepEqual(server.received.at(-1)?.to, ['ada@bücher.example'])
    const tls = await tools.call('email.send', mail, { ...server.credentials, secure: true })
    assert.match(tls.output, /set secure to false for STARTTLS/)
  })

  it('keeps the words of a server that refuses and closes at once', async () => {
    await using server = await startRawReceiver((socket) => {
      socket.write('220 mx.test\r\n')
      socket.on('data', (data: Buffer) => {
        if (String(data).startsWith('EHLO')) socket.write('250 mx.test\r\n')
        else socket.end('550 mx.test is closing for maintenance\r\n')
      })
    })
    await using tools = createTestTools()
    const credentials = { host: 'mail.test', port: server.port, secure: false, from }
    const result = await tools.call('email.send', mail, credentials)
    assert.equal(result.status, 'failed')
    assert.match(result.output, /550 mx\.test is closing for maintenance/)
  })

  it('keeps the words of a server that says 421 and leaves', async () => {
    const leaving = Object.assign(new Error('Too busy, try later'), { responseCode: 421 })
    for (const stage of ['onMailFrom', 'onRcptTo'] as const) {
      await using server = await startMailServer({
        [stage]: (_address: unknown, _session: unknown, done: (error: Error) => void) =>
          done(leaving),
      })
      await using tools = createTestTools()
      const result = await tools.call('email.send', mail, server.credentials)
      assert.equal(result.status, 'failed')
      assert.match(result.output, /421 Too busy, try later/, stage)
    }
  })

  it('fails on a bad login, and says so without the password', async () => {
    await using server = await startMailServer()
    await using tools = createTestTools()
    const result = await tools.call('email.send', mail, {
      ...server.credentials,
      pass: 'wrong-one',
    })
    assert.equal(result.status, 'failed')
    assert.match(result.output, /^Cannot send email: the mail server refused the login: 535/)
    assert.equal(server.received.length, 0)
  })

  it('fails where every receiver is refused, and names the refused one among others', async () => {
    await using server = await startMailServer()
    await using tools = createTestTools()
    const none = await tools.call(
      'email.send',
      { ...mail, to: 'nobody@a.test' },
      server.credentials,
    )
    assert.equal(none.status, 'failed')
    assert.match(none.output, /refused the sender or the receivers: 550 no such mailbox/)
    const to = 'ada@example.org, nobody@a.test'
    const some = await tools.call('email.send', { ...mail, to }, server.credentials)
    assert.deepEqual(some, {
      status: 'succeeded',
      output: 'Sent to the mail server. The server refused nobody@a.test (550 no such mailbox).',
    })
    assert.deepEqual(server.received[0]?.to, ['ada@example.org'])
  })

  it('fails where the server refuses the message itself', async () => {
    await using server = await startMailServer({
      onData: (stream, _session, done) => {
        stream.resume()
        stream.on('end', () => done(Object.assign(new Error('spam'), { responseCode: 554 })))
      },
    })
    await using tools = createTestTools()
    assert.deepEqual(await tools.call('email.send', mail, server.credentials), {
      status: 'failed',
      output: 'Cannot send email: the mail server refused the message: 554 spam',
    })
  })

  it('is unknown where the connection ends, or the call, after the message was handed over', async () => {
    await using tools = createTestTools()
    for (const mode of ['cut', 'silence'] as const) {
      const arrived = Promise.withResolvers<void>()
      await using receiver = await startRawReceiver((socket) => {
        let isData = false
        socket.write('220 mail.test ESMTP\r\n')
        socket.on('data', (chunk) => {
          const line = chunk.toString()
          if (!isData) {
            isData = /^DATA/im.test(line)
            socket.write(isData ? '354 go\r\n' : '250 ok\r\n')
          } else if (line.includes('\r\n.\r\n')) {
            arrived.resolve()
            if (mode === 'cut') socket.destroy()
          }
        })
      })
      const controller = new AbortController()
      if (mode === 'silence') void arrived.promise.then(() => controller.abort())
      const server = { host: 'mail.test', port: receiver.port, secure: false, from }
      const result = await tools.call('email.send', mail, server, controller.signal)
      assert.equal(result.status, 'unknown', `${mode}: ${result.output}`)
      await receiver.until(() => receiver.open === 0)
    }
  })

  it('is failed where the connection ends before', async () => {
    await using tools = createTestTools()
    await using receiver = await startRawReceiver((socket) => {
      socket.write('220 mail.test ESMTP\r\n')
      socket.on('data', (chunk) => {
        if (chunk.toString().startsWith('EHLO')) socket.write('250 ok\r\n')
        else socket.destroy()
      })
    })
    const server = { host: 'mail.test', port: receiver.port, secure: false, from }
    assert.equal((await tools.call('email.send', mail, server)).status, 'failed')
    const nobody = { ...server, port: 1 }
    const refused = await tools.call('email.send', mail, nobody)
    assert.equal(refused.status, 'failed')
    assert.match(refused.output, /cannot connect to mail\.test on port 1/)
  })

  it('speaks TLS from the first byte or by STARTTLS, and with trusted certificates only', async () => {
    const certificate = makeCertificate('mail.test')
    await using implicit = await startMailServer({ secure: true, ...certificate })
    await using upgraded = await startMailServer({ disabledCommands: [], ...certificate })
    await using tools = createTestTools()
    const servers = [
      { ...implicit, credentials: { ...implicit.credentials, secure: true } },
      upgraded,
    ]
    for (const { credentials } of servers) {
      const refused = await tools.call('email.send', mail, credentials)
      assert.equal(refused.status, 'failed')
      assert.match(refused.output, /no trusted TLS connection to the mail server/)
    }
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, certificate.cert])
    try {
      for (const { credentials, received } of servers) {
        const sent = await tools.call('email.send', mail, credentials)
        assert.equal(sent.status, 'succeeded', sent.output)
        assert.deepEqual(pluck(received, 'secure'), [true])
        const other = await tools.call('email.send', mail, { ...credentials, host: 'other.test' })
        assert.match(other.output, /no trusted TLS connection/)
      }
    } finally {
      setDefaultCACertificates(before)
    }
  })

  it('refuses private hosts and unusual ports of an account before a connection', async () => {
    await using server = await startMailServer()
    await using guarded = createTestTools({ allowedNetworks: '' })
    for (const [host, port, why] of [
      ['127.0.0.1', 587, /not publicly reachable/],
      ['mail.test', 587, /not publicly reachable/],
      ['localhost', 25, /not publicly reachable/],
      ['169.254.169.254', 25, /not publicly reachable/],
      ['8.8.8.8', 6379, /port 6379 is not accepted, expected 587, 465, 25, 2525/],
    ] as const) {
      const result = await guarded.call('email.send', mail, { ...server.credentials, host, port })
      assert.equal(result.status, 'failed')
      assert.match(result.output, why)
    }
    assert.equal(server.received.length, 0)
  })
})

describe('the test of email', () => {
  it('logs in and sends nothing, or says what is wrong', async () => {
    await using server = await startMailServer()
    await using tools = createTestTools()
    assert.deepEqual(await tools.test('email', server.credentials), {
      ok: true,
      message: 'mail.test answers and takes the login; nothing was sent',
    })
    const bad = await tools.test('email', { ...server.credentials, pass: 'wrong' })
    assert.equal(bad.ok, false)
    assert.match(bad.message, /refused the login/)
    assert.equal(server.received.length, 0)
  })
})
