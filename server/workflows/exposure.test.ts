import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { codeOf } from '../../test/api-client.ts'
import { fixture } from '../../test/fixture.ts'
import { startTestApp } from '../../test/test-app.ts'

const app = fixture(() => startTestApp({ role: 'api' }))

const create = (fields: object) =>
  app.call('POST', '/v1/workflows', { body: { name: 'w', ...fields } })

describe('a workflow as a tool', () => {
  it('has a name made of its own, and a description of its own', async () => {
    const named = await create({ name: 'Lagebericht für Störungen (kurz)', expose_mcp: {} })
    assert.deepEqual(named.body.data.expose_mcp, {
      name: 'lagebericht_fur_storungen_kurz',
      description: null,
    })
    const given = { name: 'Report-2_x', description: 'Writes a report.' }
    const id = await app.createWorkflow({ expose_mcp: given })
    assert.deepEqual((await app.get(`/v1/workflows/${id}`)).expose_mcp, given)
    const other = await create({ name: '事故', expose_mcp: {} })
    assert.equal(other.body.data.expose_mcp.name, other.body.data.id)
    const long = await create({ name: 'a '.repeat(60).trim(), expose_mcp: {} })
    assert.match(long.body.data.expose_mcp.name, /^(a_)+a$/)
    assert.ok(long.body.data.expose_mcp.name.length <= 64)
  })

  it('keeps its name when its description or the name of the workflow changes', async () => {
    const id = await app.createWorkflow({ name: 'First name', expose_mcp: {} })
    const path = `/v1/workflows/${id}`
    await app.patch(path, { name: 'Second name' })
    const { expose_mcp: kept, version } = await app.patch(path, {
      expose_mcp: { description: 'd' },
    })
    assert.deepEqual([kept, version], [{ name: 'first_name', description: 'd' }, 3])
    assert.equal((await app.patch(path, { expose_mcp: null })).expose_mcp, null)
    const again = await app.post(`${path}/versions/3/publish`)
    assert.deepEqual(again.expose_mcp, kept)
    assert.equal((await app.patch(path, { expose_mcp: kept })).version, 3)
  })

  it('cannot have the name of another tool, of its account alone', async () => {
    await app.createWorkflow({ expose_mcp: { name: 'taken' } })
    const other = await app.createWorkflow()
    const taken = await create({ expose_mcp: { name: 'taken' } })
    assert.deepEqual(codeOf(taken), [409, 'name_taken'])
    assert.equal(taken.body.error.param, 'expose_mcp.name')
    const patched = await app.call('PATCH', `/v1/workflows/${other}`, {
      body: { expose_mcp: { name: 'taken' } },
    })
    assert.deepEqual(codeOf(patched), [409, 'name_taken'])
    const builtIn = await create({ expose_mcp: { name: 'inbox_answer' } })
    assert.deepEqual(codeOf(builtIn), [400, 'invalid_value'])
    const odd = await create({ expose_mcp: { name: 'a b' } })
    assert.deepEqual(codeOf(odd), [400, 'invalid_format'])
    const { adminKey: key } = await createAccount(app.database, 'other')
    await app.createWorkflow({ expose_mcp: { name: 'taken' } }, key)
  })

  it('cannot be published with a name that was given away meanwhile', async () => {
    const id = await app.createWorkflow({ expose_mcp: { name: 'passed_on' } })
    await app.patch(`/v1/workflows/${id}`, { expose_mcp: null })
    await app.createWorkflow({ expose_mcp: { name: 'passed_on' } })
    const published = await app.call('POST', `/v1/workflows/${id}/versions/1/publish`)
    assert.deepEqual(codeOf(published), [409, 'name_taken'])
  })

  it('cannot have an input schema with a parameter that every tool has', async () => {
    for (const name of ['wait_seconds', 'thread']) {
      const input_schema = { type: 'object', properties: { [name]: { type: 'integer' } } }
      const created = await create({ input_schema, expose_mcp: {} })
      assert.deepEqual(codeOf(created), [400, 'invalid_schema'])
      assert.equal(created.body.error.param, `input_schema.properties.${name}`)
      const id = await app.createWorkflow({ input_schema })
      const exposed = await app.call('PATCH', `/v1/workflows/${id}`, { body: { expose_mcp: {} } })
      assert.deepEqual(codeOf(exposed), [400, 'invalid_schema'])
      const tool = await app.createWorkflow({ name: `with ${name}`, expose_mcp: {} })
      const given = await app.call('PATCH', `/v1/workflows/${tool}`, { body: { input_schema } })
      assert.deepEqual(codeOf(given), [400, 'invalid_schema'])
    }
  })
})
