import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { send, startScriptedServer } from '../rig/scripted-server.ts'
import { Muster, MusterError, type AccountEvent } from './index.ts'

function open(response: ServerResponse, ...runIds: string[]): void {
  const frames = runIds.map((run_id) => {
    const hint = { type: 'run.changed', run_id, status: 'running', sequence: 2 }
    return `event: run.changed\ndata: ${JSON.stringify(hint)}\n\n`
  })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`: open\n\n${frames.join('')}`)
}

const refusal = (code: string) => ({ error: { type: 'x', code, message: 'x' } })

describe('following an account over connections that break', () => {
  it('goes on by itself and says when everything is to be read', async () => {
    await using server = await startScriptedServer((response, call) => {
      switch (call) {
        case 1:
          open(response, 'run_1')
          return void response.end()
        case 2:
          return send(response, refusal('database_unavailable'), 503)
        case 3:
          return void response.destroy()
        default:
          open(response, 'run_2')
      }
    })
    const { events } = new Muster({ apiKey: 'mst_test', baseUrl: server.url })
    const seen: string[] = []
    const stop = new AbortController()
    const follow = async () => {
      const stream = events.stream({
        signal: stop.signal,
        onOpen: () => seen.push('open'),
        onBroken: (error) => seen.push(error?.code ?? 'ended'),
      })
      for await (const hint of stream) {
        seen.push(hint.run_id)
        if (hint.run_id === 'run_2') stop.abort(new Error('enough'))
      }
    }
    await assert.rejects(follow(), { message: 'enough' })
    assert.equal(seen.join(), 'open,run_1,ended,database_unavailable,unreachable,open,run_2')
  })

  it('throws what will not pass', async () => {
    await using server = await startScriptedServer((response) =>
      send(response, refusal('invalid_api_key'), 401),
    )
    const { events } = new Muster({ apiKey: 'mst_test', baseUrl: server.url })
    const hints: AccountEvent[] = []
    await assert.rejects(
      async () => {
        for await (const hint of events.stream()) hints.push(hint)
      },
      (error) => error instanceof MusterError && error.status === 401,
    )
    assert.deepEqual([hints, server.requests.length], [[], 1])
  })
})
