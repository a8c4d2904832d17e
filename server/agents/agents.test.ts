import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createAccount } from '../accounts/create-account.ts'
import { maxListBytes } from '../accounts/bounds.ts'
import { runEach } from '../db/run.ts'
import { codeOf } from '../../test/api-client.ts'
import { startTestApp, testModel } from '../../test/test-app.ts'
import { findAgentsForRuns } from './store.ts'
import { maxAgentsPerAccount } from './agents.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const app = fixture(() => startTestApp({ role: 'api' }))

const needed = { name: 'Ada', role: 'researcher', systemPrompt: 'Find sources.' }
const create = (body: object) => app.call('POST', '/v1/agents', { body })
const make = async (body: object = {}) => (await create({ ...needed, ...body })).body.data
const update = (id: string, body: object) => app.call('PATCH', `/v1/agents/${id}`, { body })

const everything = {
  ...needed,
  description: 'Knows where to look.',
  category: 'Research',
  model: testModel,
  maxTokens: 256,
  connectors: [] as string[],
  capabilities: [] as string[],
  status: 'paused',
  memory_enabled: false,
}

describe('agents', () => {
  it('are made with the defaults', async () => {
    const { status, body } = await create(needed)
    assert.equal(status, 201)
    const { id, created_at, updated_at, ...rest } = body.data
    assert.match(id, /^agt_[0-9a-z]{26}$/)
    assert.equal(created_at, updated_at)
    assert.deepEqual(rest, {
      ...needed,
      description: null,
      category: 'General',
      model: null,
      fallbacks: [],
      maxTokens: null,
      connectors: [],
      capabilities: [],
      tools: [],
      rules: [],
      output_schema: null,
      status: 'active',
      memory_enabled: true,
      version: 1,
      last_version: 1,
    })
    assert.deepEqual(await app.get(`/v1/agents/${id}`), body.data)
  })

  it('keep what they are given', async () => {
    assert.partialDeepStrictEqual(await make(everything), everything)
  })

  it('change the given fields only, one at a time, and back to null', async () => {
    let expected = await make()
    for (const [field, value] of Object.entries(everything)) {
      const { status, body } = await update(expected.id, { [field]: value })
      assert.equal(status, 200, field)
      assert.ok(body.data.updated_at >= expected.updated_at)
      // Only a change makes a version: neither a pause nor an update with the same value.
      const isVersion = field !== 'status' && !isDeepStrictEqual(expected[field], value)
      const version = expected.version + (isVersion ? 1 : 0)
      const made = { version, last_version: version, updated_at: body.data.updated_at }
      expected = { ...expected, [field]: value, ...made }
      assert.deepEqual(body.data, expected)
    }
    const cleared = { description: null, model: null, maxTokens: null, status: 'active' }
    const { body } = await update(expected.id, cleared)
    const version = expected.version + 1
    const made = { version, last_version: version, updated_at: body.data.updated_at }
    assert.deepEqual(body.data, { ...expected, ...cleared, ...made })
    assert.deepEqual((await update(expected.id, {})).status, 200)
    assert.equal((await update(expected.id, { name: null })).body.error.param, 'name')
    assert.equal((await update(expected.id, { category: null })).body.error.param, 'category')
  })

  it('are listed newest first, and by category', async () => {
    const made: string[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      made.unshift((await make({ name, category: 'Paging' })).id)
    }
    const other = await make({ category: 'paging' })
    const ids = (answer: { body: { data: { id: string }[] } }) => pluck(answer.body.data, 'id')
    assert.deepEqual(ids(await app.call('GET', '/v1/agents')).slice(0, 6), [other.id, ...made])
    assert.deepEqual(ids(await app.call('GET', '/v1/agents?category=Paging')), made)
    assert.deepEqual(ids(await app.call('GET', '/v1/agents?category=none')), [])
    for (const category of ['', 'c'.repeat(500)]) {
      const { id } = await make({ category })
      const found = await app.call('GET', `/v1/agents?category=${category}`)
      assert.deepEqual(ids(found), [id])
    }
  })

  it('drop connectors and capabilities that are named twice', async () => {
    const fields = {
      connectors: ['web', 'email', 'web'],
      capabilities: ['web.fetch', 'email.send', 'web.fetch', 'email.send'],
    }
    const expected = { connectors: ['web', 'email'], capabilities: ['web.fetch', 'email.send'] }
    const created = await create({ ...needed, ...fields })
    assert.equal(created.status, 201)
    const { id } = await make()
    for (const { body } of [
      created,
      await update(id, fields),
      await app.call('GET', `/v1/agents/${id}`),
    ]) {
      const { connectors, capabilities } = body.data
      assert.deepEqual({ connectors, capabilities }, expected)
    }
  })

  it('refuse models that cannot be run', async () => {
    const { id } = await make()
    for (const { status, body } of [
      await create({ ...needed, model: 'muster/dmo' }),
      await update(id, { model: 'muster/dmo' }),
    ]) {
      assert.equal(status, 400)
      assert.deepEqual([body.error.code, body.error.param], ['unknown_model', 'model'])
      assert.match(body.error.message, /nearest are muster\/demo/)
    }
  })

  it('have capabilities of connectors that are theirs, also after a change of one', async () => {
    const tools = { connectors: ['email', 'web'], capabilities: ['email.send', 'web.fetch'] }
    const agent = await make(tools)
    assert.partialDeepStrictEqual(agent, tools)
    for (const change of [{ connectors: ['web'] }, { capabilities: ['slack.post_message'] }]) {
      const { status, body } = await update(agent.id, change)
      assert.deepEqual([status, body.error.code], [400, 'unknown_capability'])
    }
    assert.equal(
      (await update(agent.id, { connectors: ['mail'] })).body.error.param,
      'connectors[0]',
    )
    const both = { connectors: ['web'], capabilities: ['web.fetch'] }
    assert.partialDeepStrictEqual((await update(agent.id, both)).body.data, both)
  })

  it('are refused in crews when absent, deleted or of another account', async () => {
    const other = await createAccount(app.database, 'with an agent')
    const theirs = await app.post('/v1/agents', needed, other.adminKey)
    const [mine, gone] = [await make(), await make()]
    const entry = (agentId: string) => ({ role: 'r', systemPrompt: 's', agentId })
    const crew = [entry(mine.id), { role: 'q', systemPrompt: 't' }, entry(gone.id), entry(mine.id)]
    const workflow = await app.call('POST', '/v1/workflows', { body: { name: 'w', crew } })
    assert.equal(workflow.status, 201, JSON.stringify(workflow.body))

    const deleted = await app.call('DELETE', `/v1/agents/${gone.id}`)
    assert.deepEqual(
      [deleted.status, deleted.body],
      [200, { data: { id: gone.id, deleted: true } }],
    )
    const path = `/v1/workflows/${workflow.body.data.id}`
    assert.deepEqual((await app.get(path)).crew, crew)
    assert.equal((await app.call('PATCH', path, { body: { name: 'renamed' } })).status, 200)
    const edited = [{ ...crew[0], systemPrompt: 'edited' }, crew[1], crew[2]]
    assert.equal((await app.call('PATCH', path, { body: { crew: edited } })).status, 200)
    const without = [crew[0], crew[1]]
    assert.equal((await app.call('PATCH', path, { body: { crew: without } })).status, 200)
    for (const answer of [
      await app.call('PATCH', path, { body: { crew } }),
      await app.call('POST', '/v1/workflows', {
        body: { name: 'w', crew: [crew[0], crew[1], entry(theirs.id)] },
      }),
    ]) {
      assert.deepEqual(codeOf(answer), [400, 'unknown_agent'])
      assert.equal(answer.body.error.param, 'crew[2].agentId')
    }
  })

  it('are read for runs together, each for its own account only', async () => {
    const other = await createAccount(app.database, 'runs')
    const accountId = (await app.get('/v1/account')).id
    const [a, b] = [await make(everything), await make()]
    const wanted = [
      { accountId, id: a.id },
      { accountId, id: a.id },
      { accountId: other.id, id: b.id },
      { accountId, id: 'agt_none' },
    ]
    const found = await runEach(app.database, wanted, (part) =>
      findAgentsForRuns(app.database, part),
    )
    const {
      description: _,
      category: __,
      memory_enabled: ___,
      connectors: ____,
      ...rest
    } = everything
    const own = {
      version: 1,
      fallbacks: [],
      memoryEnabled: false,
      outputSchema: null,
      rules: [],
      tools: [],
    }
    const agent = { id: a.id, accountId, ...rest, ...own }
    assert.deepEqual(found, [agent])
    assert.deepEqual(await findAgentsForRuns(app.database, []), [])
  })

  it('are bounded in number, also when many are made at once', async () => {
    const other = await createAccount(app.database, 'full')
    await app.sql`
      insert into agents (id, account_id, name, category, role, system_prompt, connectors,
                          capabilities, status, memory_enabled)
      select 'agt_' || n, ${other.id}, 'n', 'General', 'r', 's', '{}', '{}', 'active', true
      from generate_series(2, ${maxAgentsPerAccount}) as n`
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        app.call('POST', '/v1/agents', { key: other.adminKey, body: needed }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    assert.equal(answers.filter(({ status }) => status === 409).length, 4)
    const refused = answers.find(({ status }) => status === 409)
    assert.equal(refused?.body.error.code, 'too_many_agents')
    assert.match(refused?.body.error.message, /has 1000 agents, the maximum/)
  })

  it('are bounded in bytes, also when made at once, and listed whole at the bound', async () => {
    const { id: accountId, adminKey: key } = await createAccount(app.database, 'large')
    const as = app.as(key)
    // Each of these characters takes six bytes in JSON.
    const large = { ...needed, systemPrompt: '\u0001'.repeat(8_000) }
    const small = await as.post('/v1/agents', needed)
    const first = await as.post('/v1/agents', large)
    const room = Math.floor(maxListBytes / Buffer.byteLength(JSON.stringify(first)))
    // Fills the account up to where a few more agents fit, but not ten.
    await app.sql`
      insert into agents (id, account_id, name, category, role, system_prompt, connectors,
                          capabilities, status, memory_enabled)
      select new_id('agt'), account_id, name, category, role, system_prompt, connectors,
             capabilities, status, memory_enabled
      from agents, generate_series(1, ${room - 4}::int)
      where account_id = ${accountId} and id = ${first.id}`
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => as.call('POST', '/v1/agents', { body: large })),
    )
    const made = answers.filter(({ status }) => status === 201).length
    assert.ok(made > 0 && made <= 3, String(made))
    const refused = answers.filter(({ status }) => status !== 201)
    for (const { status, body } of refused) {
      assert.deepEqual([status, body.error.code], [409, 'too_many_bytes'])
    }
    assert.match(refused[0]?.body.error.message, /^Cannot create agent: the account's agents would/)
    const grown = await as.call('PATCH', `/v1/agents/${small.id}`, {
      body: { systemPrompt: large.systemPrompt },
    })
    assert.deepEqual(codeOf(grown), [409, 'too_many_bytes'])
    assert.deepEqual(await as.get(`/v1/agents/${small.id}`), small)
    const list = await as.get('/v1/agents')
    assert.equal(list.length, room - 2 + made)
    assert.ok(Buffer.byteLength(JSON.stringify(list)) <= maxListBytes)

    const shorter = { status: 'paused', systemPrompt: 'Short.' }
    assert.equal((await as.call('PATCH', `/v1/agents/${first.id}`, { body: shorter })).status, 200)
    assert.equal((await as.call('POST', '/v1/agents', { body: large })).status, 201)
    assert.equal((await create(large)).status, 201, 'another account has its own bound')
  })
})
