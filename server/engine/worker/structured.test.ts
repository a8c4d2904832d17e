import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  callTools,
  complete,
  startTestApp,
  type ChatRequest,
  type ModelAnswer,
} from '../../../test/test-app.ts'
import { send } from '../../../rig/scripted-server.ts'
import { fixture } from '../../../test/fixture.ts'
import { pluck } from '../../../test/pluck.ts'

let answer: ModelAnswer
let requests: ChatRequest[] = []

/** Answers of an agent with a schema, over a provider without a JSON mode. */
const app = fixture(() =>
  startTestApp({
    answer: (request, response, call) => {
      requests.push(request)
      answer(request, response, call)
    },
  }),
)

const schema = {
  type: 'object',
  properties: { zebra: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['zebra', 'age'],
  additionalProperties: false,
}
const right = '{"zebra":"z","age":3}'

const createWorkflow = async (fields: object): Promise<string> =>
  await app.createWorkflow({ ...fields })

async function run(fields: object, trigger: object = { input: 'x' }) {
  requests = []
  const id = await createWorkflow(fields)
  return app.run(id, trigger)
}

const turnsOf = async (id: string, order = 0) =>
  await app.get(`/v1/runs/${id}/steps/${order}/turns`)
const extractor = { role: 'e', systemPrompt: 'Extract.', output_schema: schema }

/** Answers calls with these texts in order; the last one repeats. */
function say(...texts: string[]): ModelAnswer {
  return (_, response) =>
    complete(response, texts[Math.min(requests.length, texts.length) - 1] ?? '')
}

it('an answer that fits is the object of step and run, and its text stays', async () => {
  answer = say(`\`\`\`json\n${right}\n\`\`\``)
  const ended = await run({ crew: [extractor] })
  assert.equal(ended.status, 'completed', ended.error)
  assert.deepEqual(ended.output_json, JSON.parse(right))
  assert.deepEqual(ended.steps[0].output_json, JSON.parse(right))
  assert.match(ended.output, /^```json/)
  // Keys keep the schema's order.
  assert.match(requests[0]?.messages[0]?.content ?? '', /"zebra".*"age"/s)
  assert.deepEqual((await turnsOf(ended.id))[0].output_schema, schema)
})

it('an answer that does not fit is sent back with what is wrong, every call counted', async () => {
  answer = say('Sure!', '{"zebra":"z","age":"3"}', right)
  const ended = await run({ crew: [extractor] })
  assert.equal(ended.status, 'completed', ended.error)
  assert.deepEqual(ended.output_json, JSON.parse(right))
  assert.deepEqual([ended.tokens_in, ended.tokens_out, requests.length], [30, 15, 3])
  const [, , , first, , second] = requests[2]?.messages ?? []
  assert.match(second?.content ?? first?.content ?? '', /age must be an integer, not a string/)
  const turns = await turnsOf(ended.id)
  assert.deepEqual(pluck(turns, 'text', 'problem'), [
    ['Sure!', 'it is not JSON'],
    ['{"zebra":"z","age":"3"}', 'age must be an integer, not a string'],
    [right, null],
  ])
})

it('an answer with a number that would become another one is sent back', async () => {
  answer = say('{"zebra":"z","age":12345678901234567890}', right)
  const ended = await run({ crew: [extractor] })
  assert.deepEqual(ended.output_json, JSON.parse(right))
  assert.match(
    (await turnsOf(ended.id))[0].problem,
    /the number 12345678901234567890 is too large to be kept exactly/,
  )
})

it('after two repairs the step fails and keeps what was said in its turns', async () => {
  answer = say('{"zebra":1}')
  const ended = await run({ crew: [extractor] })
  assert.deepEqual(
    [ended.status, ended.error_code, ended.output_json],
    ['failed', 'output_invalid', null],
  )
  assert.match(ended.error, /after 2 repairs: .*age is required/)
  assert.deepEqual([ended.tokens_in, ended.steps[0].tokens_in, requests.length], [30, 30, 3])
  assert.deepEqual(pluck(await turnsOf(ended.id), 'text'), [
    '{"zebra":1}',
    '{"zebra":1}',
    '{"zebra":1}',
  ])
})

it('a cut answer fails at once, even where it fits', async () => {
  answer = (_, response) =>
    send(response, {
      choices: [
        { index: 0, finish_reason: 'length', message: { role: 'assistant', content: right } },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 },
    })
  const ended = await run({ crew: [extractor] })
  assert.deepEqual([ended.error_code, requests.length, ended.tokens_out], ['output_invalid', 1, 7])
  assert.match(ended.error, /cut at 7 tokens/)
  assert.equal((await turnsOf(ended.id))[0].text, right)
})

it('an empty answer is tried again; a refusal is not, and is no invalid output', async () => {
  answer = say('', right)
  const ended = await run({ crew: [extractor] })
  assert.deepEqual([ended.status, requests.length], ['completed', 2])
  answer = (_, response) =>
    send(response, {
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: null, refusal: 'I will not.' },
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
  const refused = await run({ crew: [extractor] })
  assert.deepEqual([refused.error_code, requests.length], ['step_failed', 1])
})

it('an agent uses tools and answers by its schema in one step', async () => {
  answer = (request, response) =>
    request.messages.at(-1)?.role === 'tool'
      ? complete(response, requests.length === 2 ? '{}' : right)
      : requests.length === 1
        ? callTools(response, [{ name: 'remember', arguments: { content: 'note' } }])
        : complete(response, right)
  const ended = await run({ crew: [extractor] })
  assert.equal(ended.status, 'completed', ended.error)
  assert.deepEqual(ended.output_json, JSON.parse(right))
  assert.equal((await turnsOf(ended.id)).length, 3)
})

it("the crew entry's schema wins over the agent's, which holds without one", async () => {
  answer = say('{"of":"agent"}')
  const ofAgent = { type: 'object', properties: { of: { const: 'agent' } }, required: ['of'] }
  const agent = { name: 'a', role: 'r', systemPrompt: 's', output_schema: ofAgent }
  const data = await app.post('/v1/agents', agent)
  assert.deepEqual(data.output_schema, ofAgent)
  const entry = { role: 'e', systemPrompt: 's', agentId: data.id }
  assert.deepEqual((await run({ crew: [entry] })).output_json, { of: 'agent' })
  answer = say(right)
  const crew = [{ ...entry, output_schema: schema }]
  assert.deepEqual((await run({ crew })).output_json, JSON.parse(right))
})

it('a retry takes over objects of finished steps and the data', async () => {
  answer = (request, response) =>
    requests.length === 1 ? complete(response, right) : send(response, { error: {} }, 400)
  const crew = [extractor, { role: 'b', systemPrompt: 's' }]
  const failed = await run({ crew }, { input: 'x', data: { b: 1, a: 2 } })
  assert.equal(failed.error_code, 'step_failed')
  answer = say('done')
  const ended = await app.rest((await app.post(`/v1/runs/${failed.id}/retry`)).id)
  assert.deepEqual(
    [ended.status, ended.output_json, ended.data],
    ['completed', null, { b: 1, a: 2 }],
  )
  assert.deepEqual(ended.steps[0].output_json, JSON.parse(right))
})

it('agents read data after the input; without an input it is the input', async () => {
  answer = say('ok')
  const crew = [{ role: 'a', systemPrompt: 's' }]
  const both = await run({ crew }, { input: 'Read this.', data: { b: 1, a: [2] } })
  assert.equal(requests[0]?.messages[1]?.content, 'Read this.\n\n## Data\n\n{"b":1,"a":[2]}')
  assert.equal(both.steps[0].input, requests[0]?.messages[1]?.content)
  const alone = await run({ crew }, { data: { b: 1, a: [2] } })
  assert.deepEqual([alone.input, alone.data], ['{"b":1,"a":[2]}', { b: 1, a: [2] }])
  assert.equal(requests[0]?.messages[1]?.content, '{"b":1,"a":[2]}')
})

it('data has to fit the schema of its workflow as it is now', async () => {
  const workflow = await createWorkflow({ input_schema: schema })
  const path = `/v1/workflows/${workflow}/runs`
  const trigger = (body: object) => app.call('POST', path, { body })
  const refused = await trigger({ input: 'x', data: { zebra: 'z' } })
  const { code, param } = refused.body.error
  assert.deepEqual([refused.status, code, param], [400, 'invalid_data', 'data.age'])
  assert.match(refused.body.error.message, /does not fit the input_schema: age is required/)
  assert.match(
    (await trigger({ input: 'x' })).body.error.message,
    /data is left out, and \{\} does not/,
  )
  assert.equal((await trigger({ data: { zebra: 'z', age: 1 } })).status, 202)
  const body = { input_schema: { type: 'object' } }
  assert.equal((await app.call('PATCH', `/v1/workflows/${workflow}`, { body })).status, 200)
  assert.equal((await trigger({ input: 'x' })).status, 202)
  assert.equal((await trigger({})).body.error.param, 'input')
  const large = await trigger({ data: { text: 'x'.repeat(70_000) } })
  assert.match(large.body.error.message, /data has 70011 bytes of JSON, at most 65536/)
})

it('a schema that cannot be used is refused with the path of what is wrong', async () => {
  const bad = { type: 'object', properties: { a: { type: 'strin' } } }
  const crew = [{ ...extractor, output_schema: bad }]
  const workflow = await app.call('POST', '/v1/workflows', { body: { name: 'w', crew } })
  assert.deepEqual(
    [workflow.status, workflow.body.error.code, workflow.body.error.param],
    [400, 'invalid_schema', 'crew[0].output_schema.properties.a.type'],
  )
  const body = { name: 'a', role: 'r', systemPrompt: 's', output_schema: { type: 'array' } }
  const agent = await app.call('POST', '/v1/agents', { body })
  assert.equal(agent.body.error.param, 'output_schema.type')
  const input = await app.call('POST', '/v1/workflows', { body: { name: 'w', input_schema: bad } })
  assert.equal(input.body.error.param, 'input_schema.properties.a.type')
})
