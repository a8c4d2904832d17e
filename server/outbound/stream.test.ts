import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fails, open } from './test-call.ts'
import { startReceiver } from '../../rig/receiver.ts'

const options = {
  method: 'GET',
  timeoutMs: 60_000,
  maxResponseBytes: 1000,
  allowHttp: true,
} as const

describe('a streamed call', () => {
  it('gives the headers before the body has come, and the parts as they come', async () => {
    const next = Promise.withResolvers<void>()
    await using receiver = await startReceiver(async (_, response) => {
      response.writeHead(201, { 'x-answer': 'yes' })
      response.write('one')
      await next.promise
      response.end('two')
    })
    await using transport = open()
    const url = `http://receiver.test:${receiver.port}/`
    const { status, headers, body } = await transport.stream(url, options)
    assert.deepEqual([status, headers['x-answer']], [201, 'yes'])
    assert.equal(String((await body.next()).value), 'one')
    next.resolve()
    assert.equal(String((await body.next()).value), 'two')
    assert.equal((await body.next()).done, true)
  })

  it('ends a body that is too large, late, aborted or cut, and closes the connection', async () => {
    await using receiver = await startReceiver((request, response) => {
      response.write(request.url === '/large' ? 'x'.repeat(1001) : 'x', () => {
        if (request.url === '/cut') request.socket.destroy()
      })
    })
    await using transport = open()
    const read = async (path: string, more: object = {}) => {
      const url = `http://receiver.test:${receiver.port}${path}`
      const { body } = await transport.stream(url, { ...options, ...more })
      return Array.fromAsync(body)
    }
    await assert.rejects(read('/large'), fails('too_large', /more than 1000 bytes/))
    await assert.rejects(read('/cut'), fails('closed', /closed before the whole answer/))
    await assert.rejects(read('/late', { timeoutMs: 50 }), fails('timeout', /within 0\.05 s/))
    const signal = AbortSignal.timeout(50)
    await assert.rejects(read('/aborted', { signal }), fails('aborted', /was aborted/))
    await receiver.until(() => receiver.open === 0)
  })

  it('whose body nobody reads, or that is cancelled before, is given up at once', async () => {
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(307, { location: '/' }).write('x')
    })
    await using transport = open()
    const url = `http://receiver.test:${receiver.port}/`
    const unread = await transport.stream(url, options)
    const cancelled = await transport.stream(url, options)
    await cancelled.body.return()
    await receiver.until(() => receiver.connections === 2 && receiver.open === 0)
    await assert.rejects(unread.body.next(), fails('closed', /^nobody read the answer$/))
  })

  it('is under the rules of every call', async () => {
    await using receiver = await startReceiver((_, response) => response.end('x'))
    await using transport = open({ lookup: async () => ['10.0.0.1'] })
    const url = `http://receiver.test:${receiver.port}/`
    await assert.rejects(
      transport.stream(url, options),
      fails('refused_address', /not publicly reachable/),
    )
    assert.equal(receiver.connections, 0)
  })
})
