import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fixture } from '../../test/fixture.ts'
import { startTestApp } from '../../test/test-app.ts'
import { lookup, refund } from './test-caller.ts'

const app = fixture(() => startTestApp({ role: 'api' }))

const refused = async (path: string, body: object) => {
  const answer = await app.call('POST', path, { body })
  assert.equal(answer.status, 400)
  const { code, param } = answer.body.error
  return [code, param]
}

it('tools of an agent have defaults, keep the order of their schema, and make versions', async () => {
  const id = await app.createAgent({ tools: [refund] })
  const agent = await app.get(`/v1/agents/${id}`)
  assert.deepEqual(agent.tools, [{ ...refund, sensitive: true, timeout_seconds: 600 }])
  const input_schema = { type: 'object', properties: { zebra: {}, ant: {} } }
  await app.patch(`/v1/agents/${id}`, { tools: [{ ...lookup, input_schema }] })
  const { tools, version } = await app.get(`/v1/agents/${id}`)
  assert.equal(version, 2)
  assert.equal(tools[0].timeout_seconds, 300)
  assert.deepEqual(Object.keys(tools[0].input_schema.properties), ['zebra', 'ant'])
  const before = await app.get(`/v1/agents/${id}/versions/1`)
  assert.equal(before.definition.tools[0].name, 'refund')
})

it('tools of a crew entry are stored with their defaults', async () => {
  const crew = [{ role: 'r', systemPrompt: 's', tools: [lookup] }]
  const id = await app.createWorkflow({ crew, human_in_the_loop: { approvals: 'never' } })
  const workflow = await app.get(`/v1/workflows/${id}`)
  assert.deepEqual(workflow.crew[0].tools, [{ ...lookup, timeout_seconds: 300 }])
  assert.deepEqual(workflow.warnings, [])
})

it('a sensitive tool that nobody may approve makes a warning', async () => {
  const crew = [{ role: 'r', systemPrompt: 's', tools: [refund] }]
  const { warnings } = await app.get(`/v1/workflows/${await app.createWorkflow({ crew })}`)
  assert.match(warnings[0].message, /app\.refund will be refused/)
})

it('a bad name, a name twice, and a schema that is none are refused', async () => {
  const base = { name: 'a', role: 'r', systemPrompt: 's' }
  const ask = (...tools: object[]) => refused('/v1/agents', { ...base, tools })
  assert.deepEqual(await ask({ ...lookup, name: 'Look' }), ['invalid_format', 'tools[0].name'])
  assert.deepEqual(await ask(lookup, lookup), ['invalid_value', 'tools[1].name'])
  const schema = await ask({ ...lookup, input_schema: { type: 'string' } })
  assert.deepEqual(schema, ['invalid_schema', 'tools[0].input_schema.type'])
  const crew = [{ role: 'r', systemPrompt: 's', tools: [{ ...lookup, timeout_seconds: 0 }] }]
  const [code] = await refused('/v1/workflows', { name: 'w', crew })
  assert.equal(code, 'number_too_small')
})

it('no MCP server can be connected under the name of these tools', async () => {
  const body = { kind: 'mcp', url: 'https://127.0.0.1:9/' }
  const { status, body: answer } = await app.call('PUT', '/v1/connectors/app', { body })
  assert.deepEqual([status, answer.error.param], [400, 'id'])
})
