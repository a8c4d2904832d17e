import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../accounts/create-account.ts'
import { send } from '../../rig/scripted-server.ts'
import { complete, echo, startTestApp } from '../../test/test-app.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

let plainId: string
let agentId: string
let linkedId: string

const app = fixture(() =>
  startTestApp({
    answer: (request, response) => {
      const prompt = request.messages.at(-1)?.content ?? ''
      if (prompt.includes('hold')) return
      if (prompt.includes('fail') && request.messages[0]?.content !== 'scribble') {
        send(response, { error: { message: `quota of Zürich exceeded (${prompt})` } }, 400)
      } else if (prompt.includes('dear')) {
        complete(response, 'done', 200_000, 0)
      } else echo(request, response)
    },
  }),
)
prepare(async () => {
  const agent = { name: 'a', role: 'scribe', systemPrompt: 'scribble' }
  agentId = await app.createAgent(agent)
  const make = async (crew: object[]) => await app.createWorkflow({ crew })
  const plain = { role: 'planner', systemPrompt: 'p' }
  plainId = await make([plain])
  linkedId = await make([{ role: 'scribe', systemPrompt: 's', agentId }, plain])
})

async function run(
  input: string,
  tags: Record<string, string> = {},
  workflowId = plainId,
): Promise<string> {
  const { id } = await app.post(`/v1/workflows/${workflowId}/runs`, { input, tags })
  await app.rest(id)
  return id
}

async function find(query: Record<string, string | string[]>, key?: string): Promise<string[]> {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
  )
  const options = key === undefined ? {} : { key }
  const { status, body } = await app.call('GET', `/v1/runs?${search.toString()}`, options)
  assert.equal(status, 200, JSON.stringify(body))
  return pluck(body.data, 'id')
}

async function refused(query: string): Promise<string> {
  const { status, body } = await app.call('GET', `/v1/runs?${query}`)
  assert.equal(status, 400, query)
  return body.error.message
}

describe('runs are found by', () => {
  it('their tags, several of them together, and values with colons', async () => {
    const a = await run('x', { customer: 'acme', env: 'prod' })
    const b = await run('x', { customer: 'acme', env: 'test', url: 'https://a.example:8' })
    assert.deepEqual(await find({ tag: 'customer:acme' }), [b, a])
    assert.deepEqual(await find({ tag: ['customer:acme', 'env:prod'] }), [a])
    assert.deepEqual(await find({ tag: 'url:https://a.example:8' }), [b])
    assert.deepEqual(await find({ tag: 'customer:acm' }), [])
    assert.deepEqual(await find({ tag: ['customer:acme'], status: 'completed,failed' }), [b, a])
    assert.deepEqual(await find({ tag: 'customer:acme', workflow_id: linkedId }), [])
    assert.deepEqual(await find({ tag: 'env:prod', workflow_id: plainId, status: 'failed' }), [])
    assert.match(await refused('tag=customer'), /tag\[0\] is "customer", expected `key:value`/)
    assert.match(await refused('tag=a:1&tag=a:2&tag=a:3&tag=a:4&tag=a:5&tag=a:6'), /at most 5/)
  })

  it('the agents that worked on them, also those whose steps a retry took over', async () => {
    const done = await run('x', {}, linkedId)
    await run('x')
    assert.deepEqual(await find({ agent_id: agentId }), [done])
    assert.deepEqual(await find({ agent_id: 'agt_none' }), [])
    const failed = await run('fail', {}, linkedId)
    const { id } = await app.post(`/v1/runs/${failed}/retry`)
    assert.deepEqual(await find({ agent_id: agentId }), [id, failed, done])
  })

  it('words of their error and of their tags, in any case, and the start of their id', async () => {
    const failed = await run('fail alpha')
    const tagged = await run('x', { team: 'Blue Whale' })
    assert.deepEqual(await find({ q: 'zurich alpha' }), [failed])
    assert.deepEqual(await find({ q: 'EXCEEDED Alpha' }), [failed])
    assert.deepEqual(await find({ q: 'exceeded whale' }), [])
    assert.deepEqual(await find({ q: 'blue whale' }), [tagged])
    assert.deepEqual(await find({ q: 'blue', status: 'failed' }), [])
    assert.deepEqual(await find({ q: 'alpha', error_code: 'step_failed' }), [failed])
    assert.deepEqual(await find({ q: tagged }), [tagged])
    assert.deepEqual(await find({ q: tagged.slice(0, -1), status: 'failed' }), [])
    assert.match(await refused('q=ab'), /q has 2 characters, at least 3/)
    assert.match(await refused('q=...'), /q is "\.\.\.", expected words, or the start of a run id/)
  })

  it('what they cost', async () => {
    const dear = await run('dear')
    assert.deepEqual(await find({ min_cost_usd: '0.05' }), [dear])
    assert.deepEqual(await find({ min_cost_usd: '0.2' }), [dear])
    assert.deepEqual(await find({ min_cost_usd: '0.21' }), [])
    assert.deepEqual(await find({ min_cost_usd: '0.05', status: 'failed' }), [])
    assert.equal((await find({ min_cost_usd: '0.000001' })).length > 1, true)
    assert.match(await refused('min_cost_usd=-1'), /min_cost_usd is -1, at least 0/)
  })

  it('the run that they retry', async () => {
    const failed = await run('fail beta', { lane: '9' })
    const other = await run('fail beta')
    const retry = async (id: string): Promise<string> => {
      const again = (await app.post(`/v1/runs/${id}/retry`)).id
      await app.call('GET', `/v1/runs/${again}?wait=30`)
      return again
    }
    const first = await retry(failed)
    const second = await retry(failed)
    const third = await retry(second)
    await retry(other)
    assert.deepEqual(await find({ retry_of: failed }), [second, first])
    assert.deepEqual(await find({ retry_of: second }), [third])
    assert.deepEqual(await find({ retry_of: third }), [])
    assert.deepEqual(await find({ retry_of: 'run_none' }), [])
    assert.deepEqual(await find({ retry_of: failed, limit: '1' }), [second])
    for (const having of [
      { status: 'failed,running' },
      { error_code: 'step_failed' },
      { workflow_id: plainId },
      { tag: 'lane:9' },
      { q: 'beta' },
      { q: 'run_' },
    ]) {
      assert.deepEqual(await find({ retry_of: failed, ...having }), [second, first])
    }
    for (const lacking of [
      { status: 'completed' },
      { error_code: 'internal' },
      { workflow_id: linkedId },
      { tag: 'lane:8' },
      { min_cost_usd: '1' },
    ]) {
      assert.deepEqual(await find({ retry_of: failed, ...lacking }), [])
    }
    const { adminKey: key } = await createAccount(app.database, 'stranger')
    assert.deepEqual(await find({ retry_of: failed }, key), [])
  })

  it('page by page, each once, in the same order', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift(await run('x', { batch: 'one' }))
    for (const query of ['tag=batch:one', 'q=run_', 'q=one']) {
      const found = pluck((await app.pages(`/v1/runs?${query}&limit=2`)).flat(), 'id')
      assert.equal(new Set(found).size, found.length)
      assert.deepEqual(found.slice(0, 5), ids)
    }
  })

  it('their status, cancelled ones apart from failed', async () => {
    const tags = { of: 'status' }
    const [failed, done] = [await run('fail', tags), await run('x', tags)]
    const cancelled = await app.trigger(plainId, { input: 'hold', tags })
    await app.post(`/v1/runs/${cancelled}/cancel`, {})
    const of = (status: string, more = {}) => find({ status, tag: 'of:status', ...more })
    assert.deepEqual(await of('cancelled'), [cancelled])
    assert.deepEqual(await of('cancelled,completed'), [cancelled, done])
    assert.deepEqual(await of('cancelled,failed'), [cancelled, failed])
    assert.deepEqual(await of('failed'), [cancelled, failed])
    assert.deepEqual(await of('cancelled', { workflow_id: plainId }), [cancelled])
    assert.deepEqual(await of('cancelled', { min_cost_usd: '0' }), [cancelled])
    assert.deepEqual(await of('cancelled', { q: cancelled }), [cancelled])
    assert.deepEqual(await of('completed', { q: cancelled }), [])
    assert.deepEqual(await of('cancelled', { error_code: 'step_failed' }), [])
    assert.deepEqual(await of('cancelled', { error_code: 'cancelled,step_failed' }), [cancelled])
    assert.ok((await find({ status: 'cancelled' })).includes(cancelled))
    const listed = await app.get(`/v1/workflows/${plainId}/runs?status=cancelled`)
    assert.deepEqual(pluck(listed, 'id', 'status'), [[cancelled, 'failed']])
    assert.match(await refused('status=gone'), /waiting_input, completed, failed, cancelled/)
  })

  it('nobody of another account', async () => {
    await run('x', { secret: 'plan' })
    const { adminKey: key } = await createAccount(app.database, 'other')
    for (const query of [
      { tag: 'secret:plan' },
      { q: 'plan' },
      { q: 'run_' },
      { agent_id: agentId },
    ]) {
      assert.deepEqual(await find(query, key), [])
    }
  })
})

it('a run without tags, agents, failure or cost to speak of has no marks', async () => {
  const id = await run('x')
  const marks = app.database.selectFrom('run_marks').select('mark').where('run_id', '=', id)
  assert.deepEqual(await marks.execute(), [])
})
