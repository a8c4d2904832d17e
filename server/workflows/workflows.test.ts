import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql, type RawBuilder } from 'kysely'
import { createAccount } from '../accounts/create-account.ts'
import { lockAccount, maxListBytes } from '../accounts/bounds.ts'
import { askWhileLocked } from '../db/test-locks.ts'
import { codeOf } from '../../test/api-client.ts'
import { startTestApp, testModel } from '../../test/test-app.ts'
import { maxWorkflowsPerAccount } from './workflows.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const app = fixture(() => startTestApp({ role: 'api' }))

const create = (body: unknown) => app.call('POST', '/v1/workflows', { body })

describe('workflows', () => {
  it('are made with a planner, a writer and the defaults, without updated_at', async () => {
    const { status, body } = await create({ name: 'brief' })
    assert.equal(status, 201)
    const { id, created_at, crew, ...rest } = body.data
    assert.match(id, /^wf_[0-9a-z]{26}$/)
    assert.ok(!Number.isNaN(Date.parse(created_at)))
    assert.deepEqual(pluck(crew, 'role'), ['planner', 'writer'])
    assert.deepEqual(rest, {
      name: 'brief',
      description: null,
      status: 'active',
      model: testModel,
      human_in_the_loop: {
        enabled: false,
        allow_input: true,
        approvals: 'sensitive',
        timeout_seconds: null,
        on_timeout: 'fail',
        approvers: { users: [], roles: ['approver', 'member', 'admin'] },
        required_approvals: 1,
        remind_after_minutes: null,
        escalate_after_minutes: null,
        escalate_to: { users: [], roles: [] },
      },
      input_schema: null,
      memory_enabled: true,
      expose_mcp: null,
      thread: null,
      fallbacks: [],
      model_inherited: true,
      warnings: [],
      version: 1,
      last_version: 1,
      limits: {
        max_turns_per_step: 25,
        max_run_seconds: 3600,
        max_outage_seconds: 86_400,
        max_cost_usd: null,
        on_cost: 'fail',
      },
    })
    assert.deepEqual(await app.get(`/v1/workflows/${id}`), { ...body.data, updated_at: created_at })
  })

  it('keep what they are given, entry models included', async () => {
    const given = {
      name: 'n',
      description: 'd',
      model: 'muster/demo',
      crew: [
        { role: 'r', systemPrompt: 's', model: testModel },
        { role: 'q', systemPrompt: 't' },
      ],
      human_in_the_loop: { enabled: true, timeout_seconds: 60 },
      memory_enabled: false,
      limits: { max_cost_usd: 0.5 },
    }
    const { body } = await create(given)
    assert.deepEqual(body.data.crew, given.crew)
    assert.equal(body.data.human_in_the_loop.timeout_seconds, 60)
    assert.equal(body.data.human_in_the_loop.approvals, 'sensitive')
    assert.equal(body.data.limits.max_cost_usd, 0.5)
    assert.equal(body.data.memory_enabled, false)
    assert.equal(body.data.description, 'd')
  })

  it('are listed most recently updated first', async () => {
    const [a, b] = [
      (await create({ name: 'a' })).body.data,
      (await create({ name: 'b' })).body.data,
    ]
    await app.call('PATCH', `/v1/workflows/${a.id}`, { body: { name: 'a2' } })
    const all = await app.get('/v1/workflows')
    assert.deepEqual(pluck(all.slice(0, 2), 'id'), [a.id, b.id])
  })

  it('change the given fields only, nested ones too', async () => {
    const { id } = (await create({ name: 'old', human_in_the_loop: { enabled: true } })).body.data
    const { status, body } = await app.call('PATCH', `/v1/workflows/${id}`, {
      body: {
        status: 'paused',
        description: null,
        human_in_the_loop: { approvals: 'all' },
        limits: { max_run_seconds: 10 },
      },
    })
    assert.equal(status, 200)
    assert.equal(body.data.name, 'old')
    assert.equal(body.data.status, 'paused')
    assert.equal(body.data.human_in_the_loop.enabled, true)
    assert.equal(body.data.human_in_the_loop.approvals, 'all')
    assert.equal(body.data.limits.max_turns_per_step, 25)
    assert.ok(body.data.updated_at >= body.data.created_at)
  })

  it('refuse models that cannot be run', async () => {
    const unknown = await create({ name: 'x', model: 'muster/dmo' })
    assert.deepEqual(codeOf(unknown), [400, 'unknown_model'])
    assert.equal(unknown.body.error.param, 'model')
    assert.match(unknown.body.error.message, /nearest are muster\/demo/)
    const withoutKey = await create({
      name: 'x',
      crew: [{ role: 'r', systemPrompt: 's', model: 'gpt-4.1' }],
    })
    assert.equal(withoutKey.body.error.param, 'crew[0].model')
    assert.match(withoutKey.body.error.message, /can run without OPENAI_API_KEY, nearest are/)
  })

  it('say what is wrong with a body, where, and what was meant', async () => {
    for (const [body, why] of [
      [
        { name: 'x', desciption: 'd' },
        'desciption is not a known field, did you mean description?',
      ],
      [{ name: 'x', zzzzzz: 1 }, 'zzzzzz is not a known field, expected name, description, model,'],
      [{ name: null }, 'name must be a string, not null'],
      ['[1', 'the body is not valid JSON'],
      ['{"name":"a\\u0000"}', 'name holds a NUL or an unpaired surrogate'],
      [
        '{"name":"x","crew":[{"role":"\\ud800","systemPrompt":"s"}]}',
        'crew[0].role holds a NUL or an unpaired surrogate',
      ],
    ] as const) {
      const { message } = (await create(body)).body.error
      assert.ok(message.startsWith(`Cannot create workflow: ${why}`), message)
    }
  })

  it('count a character of any script as one', async () => {
    assert.equal((await create({ name: '🙂'.repeat(120) })).status, 201)
    assert.equal((await create({ name: '🙂'.repeat(121) })).status, 400)
  })

  it('are bounded in number, also when made at once, and found again at the bound', async () => {
    const ask = (key: string) => {
      const headers = { 'idempotency-key': key }
      return app.call('POST', '/v1/workflows', { body: { name: 'x' }, headers })
    }
    const { id } = (await ask('mine')).body.data
    const copies = (count: RawBuilder<number>) => sql`
      insert into workflows (id, account_id, name, model, crew, human_in_the_loop, memory_enabled, limits)
      select new_id('wf'), account_id, name, model, crew, human_in_the_loop, memory_enabled, limits
      from workflows, generate_series(1, ${count}) where id = ${id}`
    const free = sql<number>`${maxWorkflowsPerAccount} - (select count(*)::int from workflows)`
    await copies(sql`${free} - 1`).execute(app.database)

    const [late] = await askWhileLocked(
      app.database,
      async (transaction) => {
        await lockAccount(transaction, app.accountId)
        await copies(sql`1`).execute(transaction)
      },
      () => [ask('late')],
    )
    assert.deepEqual(codeOf(late), [409, 'too_many_workflows'])

    await app.forgetAnswer('mine')
    const again = await ask('mine')
    assert.deepEqual([again.status, again.body.data?.id], [201, id])
  })

  it('are bounded in bytes, also when made at once, and listed whole at the bound', async () => {
    const { id: accountId, adminKey: key } = await createAccount(app.database, 'large')
    const as = app.as(key)
    // Six bytes each in JSON.
    const entry = { role: 'r', systemPrompt: '\u0001'.repeat(8_000) }
    const large = { name: 'large', crew: Array.from({ length: 10 }, () => entry) }
    const small = await as.post('/v1/workflows', { name: 'small' })
    const first = await as.call('POST', '/v1/workflows', { body: large })
    assert.equal(first.status, 201)
    const bytes = Buffer.byteLength(JSON.stringify(first.body.data))
    // Leaves room for one more, and not for two.
    await app.sql`
      insert into workflows (id, account_id, name, model, crew, human_in_the_loop, memory_enabled, limits)
      select new_id('wf'), account_id, name, model, crew, human_in_the_loop, memory_enabled, limits
      from workflows, generate_series(1, ${Math.floor(maxListBytes / bytes) - 2}::int)
      where account_id = ${accountId} and id = ${first.body.data.id}`

    const answers = await Promise.all(
      [1, 2, 3].map(() => as.call('POST', '/v1/workflows', { body: large })),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    assert.equal(answers.filter(({ status }) => status === 409).length, 2)
    const refused = answers.find(({ status }) => status === 409)?.body.error
    assert.equal(refused.code, 'too_many_bytes')
    assert.match(
      refused.message,
      /^Cannot create workflow: the account's workflows would have \d{7} bytes of JSON together, at most 8388608$/,
    )
    const grown = await as.call('PATCH', `/v1/workflows/${small.id}`, {
      body: { crew: large.crew },
    })
    assert.deepEqual(codeOf(grown), [409, 'too_many_bytes'])
    const kept = await as.get(`/v1/workflows/${small.id}`)
    assert.deepEqual(kept.crew, small.crew)
    const list = (await as.call('GET', '/v1/workflows')).body
    assert.equal(list.data.length, Math.floor(maxListBytes / bytes) + 1)
    assert.ok(Buffer.byteLength(JSON.stringify(list.data)) <= maxListBytes)

    const paused = await as.call('PATCH', `/v1/workflows/${first.body.data.id}`, {
      body: {
        status: 'paused',
        crew: [{ role: 'r', systemPrompt: 's' }],
      },
    })
    assert.equal(paused.status, 200)
    assert.equal((await as.call('POST', '/v1/workflows', { body: large })).status, 201)
    const other = await createAccount(app.database, 'other')
    const theirs = await app.call('POST', '/v1/workflows', { key: other.adminKey, body: large })
    assert.equal(theirs.status, 201, 'another account has its own bound')
  })

  it('that have more bytes than an account may have can be paused and shortened', async () => {
    const { id: accountId, adminKey: key } = await createAccount(app.database, 'too large')
    const { id } = await app.post('/v1/workflows', { name: 'x' }, key)
    const text = 'x'.repeat(8_000)
    await app.sql`
      insert into workflows (id, account_id, name, model, crew, human_in_the_loop, memory_enabled, limits)
      select new_id('wf'), account_id, name, model,
             (select jsonb_agg(jsonb_build_object('role', 'r', 'systemPrompt', ${text}::text))
              from generate_series(1, 10)), human_in_the_loop, memory_enabled, limits
      from workflows, generate_series(1, 110)
      where account_id = ${accountId} and id = ${id}`
    const change = async (body: object) =>
      (await app.call('PATCH', `/v1/workflows/${id}`, { key, body })).status
    assert.equal(await change({ status: 'paused' }), 200)
    assert.equal(await change({ crew: [{ role: 'r', systemPrompt: 's' }] }), 200)
    assert.equal(await change({ name: 'longer' }), 409)
  })
})
