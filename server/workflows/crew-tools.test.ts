import assert from 'node:assert/strict'
import { it } from 'node:test'
import { actOnce, clerkFixture, read, write } from '../../test/clerk.ts'
import { codeOf } from '../../test/api-client.ts'

const { app, sink, answered } = clerkFixture()

const entry = {
  role: 'clerk',
  systemPrompt: 'act',
  maxTokens: 512,
  connectors: ['sink'],
  capabilities: ['sink.read', 'sink.write'],
}

it('a crew entry without a standing agent has tools and a limit of tokens of its own', async () => {
  let asked: { max_tokens?: number; tools?: unknown[] } = {}
  app.answer = (request, response, call) => {
    asked = request
    actOnce(read, write('x', 'w'))(request, response, call)
  }
  const id = await app.createWorkflow({ crew: [entry], human_in_the_loop: { enabled: true } })
  assert.deepEqual((await app.get(`/v1/workflows/${id}`)).crew, [entry])
  const waiting = await app.run(id)
  assert.equal(waiting.pending.tool, 'sink.write')
  assert.equal(asked.max_tokens, 512)
  const run = await answered(waiting.id, { action: 'approve' })
  assert.equal(run.status, 'completed')
  assert.deepEqual(
    sink.calls.map(({ tool }) => tool),
    ['read', 'write'],
  )
})

it('refuses tools that the account does not have, and says where', async () => {
  for (const [change, param] of [
    [{ connectors: ['absent'] }, 'crew[1].connectors[0]'],
    [{ capabilities: ['sink.absent'] }, 'crew[1].capabilities[0]'],
    [{ connectors: [] }, 'crew[1].capabilities[0]'],
    [{ maxTokens: 1 }, 'crew[1].maxTokens'],
  ] as const) {
    const body = { name: 'w', crew: [entry, { ...entry, ...change }] }
    const refused = await app.call('POST', '/v1/workflows', { body })
    assert.equal(codeOf(refused)[0], 400)
    assert.equal(refused.body.error.param, param)
  }
})

it('warns of actions of an entry that will be refused', async () => {
  const id = await app.createWorkflow({ crew: [entry], human_in_the_loop: { enabled: false } })
  const { warnings } = await app.get(`/v1/workflows/${id}`)
  assert.match(warnings[0].message, /^crew\[0\] \(clerk\): sink.write will be refused/)
})
