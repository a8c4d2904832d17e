import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startMcpSink } from '../../../rig/mcp-sink.ts'
import { until } from '../../../rig/until.ts'
import { callTools, complete, startTestApp, toolResults } from '../../../test/test-app.ts'
import { maxRunOutputBytes } from '../state/told.ts'

const callsOfTurn = 32

it('what the tools of a run answer is bounded; then reading tools are not called, others are', async () => {
  await using sink = await startMcpSink()
  sink.text = '€'.repeat(30_000)
  const told: string[][] = []
  await using app = await startTestApp({
    answer: (request, response) => {
      told.push(toolResults(request))
      const isFull = told.at(-1)?.some((text) => text.startsWith('This call was not made'))
      const name = isFull ? 'sink__write' : 'sink__read'
      if (sink.calls.some(({ tool }) => tool === 'write')) return complete(response, 'done')
      const count = name === 'sink__write' ? 1 : callsOfTurn
      callTools(
        response,
        [...Array(count).keys()].map((n) => ({
          id: `${told.length}-${n}`,
          name,
          arguments: { text: 't' },
        })),
      )
    },
  })
  const body = { kind: 'mcp', url: sink.url, safe_tools: ['read'] }
  assert.equal((await app.call('PUT', '/v1/connectors/sink', { body })).status, 200)
  const agent = await app.post('/v1/agents', {
    name: 'a',
    role: 'reader',
    systemPrompt: 's',
    connectors: ['sink'],
    capabilities: ['sink.read', 'sink.write'],
  })
  const workflow = await app.post('/v1/workflows', {
    name: 'w',
    crew: [{ role: 'reader', systemPrompt: 's', agentId: agent.id }],
    human_in_the_loop: { approvals: 'never' },
  })
  const path = `/v1/workflows/${workflow.id}/runs`
  const { id } = await app.post(path, { input: 'go' })
  await until('it has ended', 110_000, async () => {
    const { status } = await app.rest(id)
    assert.ok(['queued', 'running', 'completed'].includes(status), status)
    return status === 'completed'
  })

  const { tool_bytes } = await app.row`select tool_bytes from runs where id = ${id}`
  const bytes = told.flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  assert.equal(tool_bytes, bytes)
  // Calls that are under way together may each pass it once.
  assert.ok(bytes > maxRunOutputBytes && bytes < maxRunOutputBytes + 1024 * 1024, `${bytes} bytes`)
  const texts = told.flat()
  assert.ok(texts.some((text) => /cut: the first 65536 of \d+ bytes\]/.test(text)))
  assert.ok(texts.some((text) => /the tools of this run have answered 4194304 bytes/.test(text)))
  assert.ok(texts.some((text) => text.startsWith('This call was not made: the tools of this run')))
  const write = sink.calls.filter(({ tool }) => tool === 'write')
  assert.equal(write.length, 1, 'a call that writes is made all the same')
  assert.ok(Buffer.byteLength(told.at(-1)?.[0] ?? '') < 1_300)
})
