import assert from 'node:assert/strict'
import { it } from 'node:test'
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
  assert.match(warning.message, /^step 0 \(Writer\): .*maxTokens of 256 and is incomplete$/)
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
