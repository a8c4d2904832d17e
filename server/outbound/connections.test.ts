import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { describe, it } from 'node:test'
import { call, fails, open, short } from './test-call.ts'
import { makeCertificate } from '../../rig/certificate.ts'
import { startRawReceiver, startReceiver, startTlsReceiver } from '../../rig/receiver.ts'

describe('connections', () => {
  it('stay alive and are used again', async () => {
    await using receiver = await startReceiver((_, response) => response.end('ok'))
    await using transport = open({ connections: 1 })
    for (let i = 0; i < 5; i++) await call(transport, receiver)
    assert.equal(receiver.connections, 1)
  })

  it('are bounded by origin, and a call in line can end before its turn', async () => {
    const held: (() => void)[] = []
    await using receiver = await startReceiver((_, response) => held.push(() => response.end()))
    await using other = await startReceiver((_, response) => response.end('free'))
    await using transport = open({ connections: 2 })
    const first = [call(transport, receiver), call(transport, receiver)]
    await receiver.until(() => receiver.connections === 2)
    const stop = new AbortController()
    // The rejections are awaited from the start: on a busy machine the first comes before the next
    // line runs.
    const waiting = [
      assert.rejects(
        call(transport, receiver, { timeoutMs: short }),
        fails('timeout', /^no whole answer within 0.1 s$/),
      ),
      assert.rejects(
        call(transport, receiver, { signal: stop.signal }),
        fails('aborted', /aborted/),
      ),
    ]
    assert.equal((await call(transport, other)).body.toString(), 'free')
    await waiting[0]
    stop.abort()
    await waiting[1]
    assert.equal(receiver.connections, 2)
    for (const release of held) release()
    await Promise.all(first)
    assert.equal(held.length, 2)
  })

  it('are closed by an abort', async () => {
    await using receiver = await startReceiver(() => undefined)
    await using transport = open()
    const stop = new AbortController()
    const answer = call(transport, receiver, { signal: stop.signal })
    await receiver.until(() => receiver.open === 1)
    stop.abort(new Error('secret'))
    await assert.rejects(answer, fails('aborted', /^the call was aborted$/))
    await receiver.until(() => receiver.open === 0)
  })

  it('are not opened for a call that was aborted before', async () => {
    await using receiver = await startReceiver((_, response) => response.end())
    await using transport = open()
    const answer = call(transport, receiver, { signal: AbortSignal.abort() })
    await assert.rejects(answer, fails('aborted', /aborted/))
    assert.equal(receiver.connections, 0)
  })

  it('end with the transport', async () => {
    await using receiver = await startReceiver(() => undefined)
    const transport = open()
    const answer = call(transport, receiver)
    const ended = assert.rejects(answer, fails('aborted', /^the service is stopping$/))
    await receiver.until(() => receiver.open === 1)
    await transport[Symbol.asyncDispose]()
    await ended
    await receiver.until(() => receiver.open === 0)
    await assert.rejects(call(transport, receiver), fails('aborted', /stopping/))
  })

  it('that are refused or reset say so', async () => {
    const gone = await startReceiver(() => undefined)
    await gone[Symbol.asyncDispose]()
    await using transport = open({ connections: 2 })
    const calls = Array.from({ length: 6 }, () => call(transport, gone, { path: '/secret' }))
    for (const result of await Promise.allSettled(calls)) {
      assert.ok(result.status === 'rejected')
      fails(
        'connect',
        /^cannot connect to receiver.test on port \d+ \(ECONNREFUSED\)$/,
      )(result.reason)
    }
    await using resetting = await startRawReceiver((socket) => {
      socket.once('data', () => socket.resetAndDestroy())
    })
    await assert.rejects(call(transport, resetting), fails('closed', /was closed before the whole/))
    await using closing = await startRawReceiver((socket) => {
      socket.once('data', () => socket.end())
    })
    await assert.rejects(call(transport, closing), fails('closed', /was closed before the whole/))
  })
})

describe('TLS', () => {
  const certificate = makeCertificate('receiver.test')
  const answer: RequestListener = (_, response) => response.end('secure')
  const https = { scheme: 'https', allowHttp: false }

  it('takes a certificate of a known authority and keeps the connection', async () => {
    await using receiver = await startTlsReceiver(certificate, answer)
    await using transport = open({ ca: certificate.cert, connections: 1 })
    assert.equal((await call(transport, receiver, https)).body.toString(), 'secure')
    await call(transport, receiver, https)
    assert.equal(receiver.connections, 1)
  })

  it('refuses a self-signed certificate, whatever the environment says', async (context) => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    context.after(() => {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
    })
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    await using receiver = await startTlsReceiver(certificate, () => assert.fail('was called'))
    await using transport = open()
    await assert.rejects(
      call(transport, receiver, https),
      fails('tls', /^no trusted TLS connection to receiver.test \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/),
    )
  })

  it('refuses a certificate of another host', async () => {
    const other = makeCertificate('other.test')
    await using receiver = await startTlsReceiver(other, () => assert.fail('was called'))
    await using transport = open({ ca: other.cert })
    await assert.rejects(
      call(transport, receiver, https),
      fails('tls', /ERR_TLS_CERT_ALTNAME_INVALID/),
    )
  })

  it('refuses a receiver that does not speak it', async () => {
    await using receiver = await startReceiver(() => assert.fail('was called'))
    await using transport = open()
    await assert.rejects(
      call(transport, receiver, https),
      fails('tls', /no trusted TLS connection/),
    )
  })
})
