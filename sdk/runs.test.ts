import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { send, startScriptedServer } from '../rig/scripted-server.ts'
import { Muster, type RunEvent } from './index.ts'
import { pluck } from '../test/pluck.ts'

const types = ['run.queued', 'run.started', 'step.started', 'step.completed', 'run.completed']

function frame(sequence: number): string {
  const event = { id: `evt_${sequence}`, type: types[sequence - 1], sequence, run_id: 'run_1' }
  return `id: ${sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function open(response: ServerResponse, text: string): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`: open\n\n${text}`)
  return response
}

function sequences(events: RunEvent[]): number[] {
  return pluck(events, 'sequence')
}

describe('following a run over connections that break', () => {
  it('goes on behind the last event, each event once', async () => {
    let first: ServerResponse | undefined
    await using server = await startScriptedServer((response, call) => {
      switch (call) {
        case 1:
          // This connection breaks in the middle of the third event.
          first = open(response, frame(1) + frame(2) + frame(3).slice(0, 30))
          return
        case 2:
          // The service is restarting.
          send(response, { error: { type: 'unavailable', code: 'x', message: 'x' } }, 503)
          return
        default:
          open(response, frame(2) + frame(3) + frame(4) + frame(5)).end()
      }
    })
    const { runs } = new Muster({ apiKey: 'mst_test', baseUrl: server.url })
    const events: RunEvent[] = []
    for await (const event of runs.stream('run_1')) {
      events.push(event)
      if (event.sequence === 2) first?.destroy()
    }
    assert.deepEqual(sequences(events), [1, 2, 3, 4, 5])
    assert.deepEqual(
      server.requests.map(({ headers }) => headers['last-event-id']),
      ['0', '2', '2'],
    )
  })

  it('asks again when the service closes the stream before the run has ended', async () => {
    await using server = await startScriptedServer((response, call) => {
      const { path } = server.requests[call - 1] as { path: string }
      if (!path.endsWith('/events')) {
        send(response, { data: { id: 'run_1', status: 'completed', steps: [] } })
      } else if (call === 1) open(response, frame(1)).end()
      else open(response, frame(2) + frame(5)).end()
    })
    const { runs } = new Muster({ apiKey: 'mst_test', baseUrl: server.url })
    assert.deepEqual(sequences(await Array.fromAsync(runs.stream('run_1'))), [1, 2, 5])
    assert.equal(server.requests.length, 3)
  })

  it('gives up on a service that cuts every stream before an event comes', async (test) => {
    const pause = globalThis.setTimeout
    // Pauses between attempts pass fifty times as fast; time-outs keep their length.
    test.mock.method(globalThis, 'setTimeout', (work: () => void, ms = 0) =>
      pause(work, ms < 10_000 ? ms / 50 : ms),
    )
    await using server = await startScriptedServer((response) => {
      open(response, '').write(': more\n\n', () => response.destroy())
    })
    const { runs } = new Muster({ apiKey: 'mst_test', baseUrl: server.url })
    await assert.rejects(Array.fromAsync(runs.stream('run_1')), {
      status: 0,
      code: 'stream_broken',
    })
    assert.equal(server.requests.length, 7)
  })

  it('ends when nothing is left of a run that has ended', async () => {
    await using server = await startScriptedServer((response, call) => {
      const { path } = server.requests[call - 1] as { path: string }
      if (path.endsWith('/events')) open(response, '').end()
      else send(response, { data: { id: 'run_1', status: 'failed', steps: [] } })
    })
    const { runs } = new Muster({ apiKey: 'mst_test', baseUrl: server.url })
    assert.deepEqual(await Array.fromAsync(runs.stream('run_1', { after: 5 })), [])
  })

  it('closes the connection when the reader leaves', async () => {
    await using server = await startScriptedServer((response) => {
      open(response, frame(1))
    })
    const { runs } = new Muster({ apiKey: 'mst_test', baseUrl: server.url })
    for await (const event of runs.stream('run_1')) {
      assert.equal(event.sequence, 1)
      break
    }
    await server.until(() => server.cut === 1)
  })

  it('says what is wrong when the run is unknown or an event is no JSON', async () => {
    await using server = await startScriptedServer((response, call) => {
      if (call === 1) {
        send(response, { error: { type: 'not_found', code: 'not_found', message: 'no run' } }, 404)
      } else open(response, 'id: 1\ndata: {"sequence"\n\n')
    })
    const { runs } = new Muster({ apiKey: 'mst_test', baseUrl: server.url })
    await assert.rejects(Array.fromAsync(runs.stream('run_1')), { code: 'not_found' })
    await assert.rejects(Array.fromAsync(runs.stream('run_1')), { code: 'malformed_answer' })
  })

  it('waits with long polls, over a run that waits for a human if wanted', async () => {
    const statuses = ['running', 'waiting_input', 'completed']
    await using server = await startScriptedServer((response, call) =>
      send(response, { data: { id: 'run_1', status: statuses[call - 1], steps: [] } }),
    )
    const { runs } = new Muster({ apiKey: 'mst_test', baseUrl: server.url })
    assert.equal((await runs.wait('run_1')).status, 'waiting_input')
    assert.equal((await runs.wait('run_1', { until: 'end' })).status, 'completed')
    assert.equal(server.requests[0]?.path, '/v1/runs/run_1?wait=30')
  })
})
