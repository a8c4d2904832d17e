import assert from 'node:assert/strict'
import { it } from 'node:test'
import { send } from '../../../rig/scripted-server.ts'
import { callTools, complete, startTestApp, toolResults } from '../../../test/test-app.ts'
import { fixture } from '../../../test/fixture.ts'

const prompts: string[] = []

const app = fixture(() =>
  startTestApp({
    answer: ({ messages }, response) => {
      const prompt = messages.at(-1)?.content ?? ''
      prompts.push(prompt)
      if (messages[0]?.content.includes('fails')) return void response.writeHead(400).end('{}')
      const isCut = messages[0]?.content.includes('is cut')
      complete(response, isCut ? 'The pump is to be' : 'done', 10, 5, isCut ? 'length' : 'stop')
    },
  }),
)

async function run(crew: object[]) {
  const { id } = await app.post('/v1/workflows', { name: 'w', crew })
  return app.run(id, 'x')
}

it('an answer that is cut says so: on the step, in the log, on the run, to the next agent', async () => {
  const agent = await app.post('/v1/agents', {
    name: 'Writer',
    role: 'Writer',
    systemPrompt: 'is cut',
    maxTokens: 256,
  })
  const ended = await run([
    { role: 'Writer', systemPrompt: 'w', agentId: agent.id },
    { role: 'Reader', systemPrompt: 'reads' },
  ])
  assert.equal(ended.status, 'completed')
  assert.deepEqual(
    ended.steps.map(({ finish_reason: reason }: { finish_reason: string }) => reason),
    ['length', 'stop'],
  )
  const [warning, ...others] = ended.warnings
  assert.deepEqual(others, [])
  assert.equal(warning.code, 'answer_cut')
  assert.match(warning.message, /^step 1 \(Writer\): .*maxTokens of 256 and is incomplete$/)
  assert.match(prompts.at(-1) ?? '', /The pump is to be\n\n\[Incomplete: /)
  assert.equal(ended.steps[1].input, prompts.at(-1))

  const { body: text } = await app.call('GET', `/v1/runs/${ended.id}/events`)
  assert.match(text, /event: step\.cut\ndata: .*"max_tokens":256/)
  assert.match(text, /event: step\.completed\ndata: .*"finish_reason":"length"/)
  const turns = await app.get(`/v1/runs/${ended.id}/steps/1/turns`)
  assert.equal(turns[0].messages.at(-1).text, prompts.at(-1))
})

it('a retry keeps what it takes over as cut', async () => {
  const failed = await run([
    { role: 'a', systemPrompt: 'is cut' },
    { role: 'b', systemPrompt: 'fails' },
  ])
  assert.equal(failed.status, 'failed')
  assert.equal(failed.warnings.length, 1)
  const { id } = await app.post(`/v1/runs/${failed.id}/retry`, {})
  const again = await app.rest(id)
  assert.deepEqual(again.warnings, failed.warnings)
  assert.equal(again.steps[0].finish_reason, 'length')
  assert.match(prompts.at(-1) ?? '', /\[Incomplete: /)
})

it('a call in an answer that was cut is not made, and the agent is told so', async () => {
  const told: string[] = []
  await using cutApp = await startTestApp({
    answer: (request, response) => {
      told.push(...toolResults(request))
      if (told.length > 0) return complete(response, 'done')
      const calls = [
        { id: 'a', name: 'ask_human', arguments: { question: 'Shall I?' } },
        { id: 'b', name: 'web__fetch', arguments: '{"url":"http://127.0.0.1:1/a' },
      ]
      callTools(response, calls, 10, 5, undefined, 'length')
    },
  })
  const crew = [{ role: 'a', systemPrompt: 'a' }]
  const { id } = await cutApp.post('/v1/workflows', {
    name: 'w',
    crew,
    human_in_the_loop: { enabled: true },
  })
  const ended = await cutApp.rest(
    (await cutApp.post(`/v1/workflows/${id}/runs`, { input: 'x' })).id,
  )
  assert.deepEqual([ended.status, ended.output], ['completed', 'done'])
  assert.equal(told.length, 2)
  for (const text of told) {
    assert.match(text, /^This call was not made: your answer was cut at its limit of tokens/)
  }
})

it('the next turn and the next agent are sent what was stored', async () => {
  const sent: string[] = []
  await using oddApp = await startTestApp({
    answer: (request, response) => {
      const last = request.messages.at(-1)
      const before = request.messages.findLast(({ role }) => role === 'assistant')
      if (before !== undefined) sent.push(before.content)
      if (last?.content.includes('\uFFFD')) sent.push(last.content)
      const message = {
        role: 'assistant',
        content: 'a\u0000b\uD83Dc',
        tool_calls: [
          { id: '1', type: 'function', function: { name: 'recall', arguments: '{"id":"x"}' } },
        ],
      }
      const calls = { index: 0, finish_reason: 'tool_calls', message }
      if (request.messages.length === 2 && sent.length === 0) {
        return send(response, { choices: [calls] })
      }
      complete(response, 'a\u0000b\uD83Dc')
    },
  })
  const crew = [
    { role: 'a', systemPrompt: 'a' },
    { role: 'b', systemPrompt: 'b' },
  ]
  const { id } = await oddApp.post('/v1/workflows', { name: 'w', crew })
  const ended = await oddApp.rest(
    (await oddApp.post(`/v1/workflows/${id}/runs`, { input: 'x' })).id,
  )
  const clean = 'a\uFFFDb\uFFFDc'
  assert.equal(ended.steps[0].output, clean)
  assert.equal(sent.length, 2, JSON.stringify(sent))
  assert.equal(sent[0], clean)
  assert.ok(sent[1]?.includes(clean))
})
