import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clerkFixture, read } from '../../test/clerk.ts'
import { send } from '../../rig/scripted-server.ts'
import { callTools, complete, echo, type ModelAnswer } from '../../test/test-app.ts'
import { prepare } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const clerk = clerkFixture()
const { app, sink } = clerk
let workflowId: string
prepare(async () => {
  sink.text = 'ü'.repeat(3_000)
  const crew = [
    { role: 'clerk', systemPrompt: 'act', agentId: clerk.agentId },
    { role: 'writer', systemPrompt: 'write' },
  ]
  workflowId = await app.createWorkflow({ crew, memory_enabled: false })
})

const turnsOf = (id: string, order: number | string = 0, query = '') =>
  app.call('GET', `/v1/runs/${id}/steps/${order}/turns${query}`)
const run = (input: string) => app.run(workflowId, input)

/** A model that makes a read in the clerk's first turn and reports the end in the second. */
const readOnce: ModelAnswer = (request, response) => {
  if (request.messages[0]?.content === 'write') return echo(request, response)
  if (request.messages.at(-1)?.role === 'tool') return complete(response, 'done', 20, 2)
  callTools(response, [read])
}

describe('the turns of a step', () => {
  it('tell what the model was sent and said, with the whole outputs that the run shows cut', async () => {
    app.answer = readOnce
    const { id, steps } = await run('hello')
    const [call] = steps[0].tool_calls
    const { status, body } = await turnsOf(id)
    assert.equal(status, 200, JSON.stringify(body))
    const [first, last] = body.data
    assert.equal(body.data.length, 2)
    assert.deepEqual(first.messages[1], { role: 'user', text: 'hello' })
    assert.match(first.messages[0].text, /^act/)
    assert.ok(first.tools.some((tool: { name: string }) => tool.name === 'sink__read'))
    assert.deepEqual([first.number, first.tokens_in, last.number, last.text], [0, 10, 1, 'done'])
    assert.deepEqual([last.tokens_in, last.tokens_out, last.messages], [20, 2, []])
    assert.ok(first.duration_ms >= 0 && last.duration_ms >= 0)
    const whole = first.calls[0].output
    assert.equal(Buffer.byteLength(whole), call.output_bytes)
    assert.ok(whole.length > 2_000)
    assert.equal(call.output, whole.slice(0, 2_000))
  })

  it('are paged, and of a plain step there is one', async () => {
    app.answer = readOnce
    const { id } = await run('hello')
    const first = await turnsOf(id, 0, '?limit=1')
    const next = /<(.*?)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await app.call('GET', next)
    assert.deepEqual(
      [first, second].map(({ body }) => pluck(body.data, 'number')),
      [[0], [1]],
    )
    assert.equal(second.headers.get('link'), null)
    const cursor = new URL(next, app.url).searchParams.get('after') ?? ''
    const behindAll = Buffer.from(cursor, 'base64url')
      .toString()
      .replace(' 0 ', ' 999999999999999 ')
    const after = Buffer.from(behindAll).toString('base64url')
    const { status, body } = await turnsOf(id, 0, `?after=${after}`)
    assert.deepEqual([status, body.data], [200, []])
    const [plain, ...others] = (await turnsOf(id, 1)).body.data
    assert.deepEqual(others, [])
    assert.deepEqual(plain.messages, [
      { role: 'system', text: 'write' },
      { role: 'user', text: 'hello\n\n## Output of clerk (step 0)\n\ndone' },
    ])
    assert.deepEqual([plain.tools, plain.tokens_in], [[], 10])
  })

  it("show the provider's id of each request", async () => {
    app.answer = (request, response, call) => {
      response.setHeader('x-request-id', `req-${request.messages.length}-${call}`)
      readOnce(request, response, call)
    }
    const { id } = await run('hello')
    const ids = pluck((await turnsOf(id)).body.data, 'request_id')
    assert.match(ids.join(' '), /^req-2-\d+ req-4-\d+$/)
    app.answer = readOnce
    const [turn] = (await turnsOf((await run('hello')).id)).body.data
    assert.equal(turn.request_id, 'chatcmpl-1', 'the id of its answer where there is no other')
  })

  it('end a page behind 4 MB, and one that is larger has a page of its own', async () => {
    app.answer = echo
    const { id } = await run('hello')
    const megabytes = [3, 0.9, 0.2, 4.1, 0.1]
    await app.sql`update steps set turns = ${megabytes.length} where run_id = ${id} and position = 0`
    await app.sql`
      insert into step_turns (account_id, run_id, step_position, turn, message)
      select account_id, run_id, 0, number - 1, json_build_object('role', 'assistant', 'content',
             json_build_array(json_build_object('type', 'text', 'text', repeat('x', (size * 1048576)::int))))
      from steps, unnest(${megabytes}::float8[]) with ordinality as turn (size, number)
      where run_id = ${id} and position = 0`
    const pages = (await app.pages(`/v1/runs/${id}/steps/0/turns?limit=7`)).map((page) =>
      pluck(page, 'number'),
    )
    assert.deepEqual(pages, [[0, 1, 2], [3], [4, 5]])
  })

  it('of a step that a retry took over are those of the run that did it, while it is there', async () => {
    app.answer = (request, response, call) => {
      if (request.messages[0]?.content !== 'write') return readOnce(request, response, call)
      send(response, { error: { message: 'no' } }, 400)
    }
    const { id } = await run('hello')
    const retry = (await app.post(`/v1/runs/${id}/retry`)).id
    assert.deepEqual((await turnsOf(retry)).body.data, (await turnsOf(id)).body.data)
    await app.call('GET', `/v1/runs/${retry}?wait=30`)
    await app.sql`delete from steps where run_id = ${id}`
    assert.deepEqual((await turnsOf(retry)).body.data, [])
  })

  it('are 404 where there is no such step', async () => {
    app.answer = echo
    const { id } = await run('hello')
    for (const order of [2, -1, 'x', '1e3', 99_999]) {
      assert.equal((await turnsOf(id, order)).status, 404, String(order))
    }
  })
})
