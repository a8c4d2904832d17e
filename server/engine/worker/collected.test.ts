import assert from 'node:assert/strict'
import { it } from 'node:test'
import { until } from '../../../rig/until.ts'
import { clerkFixture, read, write, type ToolCall } from '../../../test/clerk.ts'
import { callTools, complete, toolResults } from '../../../test/test-app.ts'
import { maxRunOutputBytes } from '../run/messages.ts'

const callsOfTurn = 32
const clerk = clerkFixture()
const { app, sink } = clerk

it('what the tools of a run answer is bounded; then reading tools are not called, others are', async () => {
  sink.text = '€'.repeat(30_000)
  const told: string[][] = []
  app.answer = (request, response) => {
    told.push(toolResults(request))
    if (sink.calls.some(({ tool }) => tool === 'write')) return complete(response, 'done')
    const isFull = told.at(-1)?.some((text) => text.startsWith('This call was not made'))
    const calls = isFull ? [write('t')] : Array<ToolCall>(callsOfTurn).fill(read)
    callTools(
      response,
      calls.map((call, n) => ({ ...call, id: `${told.length}-${n}` })),
    )
  }
  const id = await app.trigger(await clerk.createWorkflow({ approvals: 'never' }))
  await until('it has ended', 110_000, async () => {
    const { status } = await app.rest(id)
    assert.ok(['queued', 'running', 'completed'].includes(status), status)
    return status === 'completed'
  })

  const { tool_bytes } = await app.row`select tool_bytes from runs where id = ${id}`
  const bytes = told.flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  assert.equal(tool_bytes, bytes)
  // Calls that run in parallel may each exceed the limit once.
  assert.ok(bytes > maxRunOutputBytes && bytes < maxRunOutputBytes + 1024 * 1024, `${bytes} bytes`)
  const texts = told.flat()
  assert.ok(texts.some((text) => /cut: the first 65536 of \d+ bytes\]/.test(text)))
  assert.ok(texts.some((text) => /the tools of this run have answered 4194304 bytes/.test(text)))
  assert.ok(texts.some((text) => text.startsWith('This call was not made: the tools of this run')))
  const written = sink.calls.filter(({ tool }) => tool === 'write')
  assert.equal(written.length, 1, 'a call that writes is made all the same')
  assert.ok(Buffer.byteLength(told.at(-1)?.[0] ?? '') < 1_300)
})
