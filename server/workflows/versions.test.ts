import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixture } from '../../test/fixture.ts'
import { codeOf, type Answer } from '../../test/api-client.ts'
import { echo, startTestApp, testModel } from '../../test/test-app.ts'
import { pluck } from '../../test/pluck.ts'

const app = fixture(() => startTestApp())

const crew = (prompt: string) => [{ role: 'writer', systemPrompt: prompt }]

/** The instructions of the last model call. */
const instructions = () =>
  JSON.parse(app.models.requests.at(-1)?.body ?? '{}').messages[0].content as string

const versions = (id: string) => app.get(`/v1/workflows/${id}/versions`)

const publish = (id: string, version: number, headers: Record<string, string> = {}) =>
  app.call('POST', `/v1/workflows/${id}/versions/${version}/publish`, { headers })

const change = (id: string, body: object, ifMatch?: string): Promise<Answer> =>
  app.call('PATCH', `/v1/workflows/${id}`, {
    body,
    ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
  })

describe('versions of a workflow', () => {
  it('are made by every change, but not by one that changes nothing, nor by a pause', async () => {
    const id = await app.createWorkflow({ crew: crew('one') })
    await change(id, { crew: crew('two'), note: 'Shorter' })
    await change(id, { crew: crew('two'), note: 'again' })
    await change(id, { status: 'paused' })
    const { body, headers } = await change(id, { status: 'active' })
    assert.deepEqual([body.data.version, body.data.last_version], [2, 2])
    assert.equal(headers.get('etag'), '"2"')
    const [second, first, ...others] = await versions(id)
    assert.equal(others.length, 0)
    const { author, created_at, published_at, ...rest } = second
    assert.equal(author.name, 'first admin key')
    assert.ok(created_at <= published_at)
    assert.deepEqual(rest, {
      version: 2,
      state: 'live',
      note: 'Shorter',
      base_version: 1,
      changed: ['crew[0].systemPrompt'],
    })
    assert.deepEqual([first.version, first.state, first.base_version], [1, 'earlier', null])
    const stored = await app.get(`/v1/workflows/${id}/versions/1`)
    assert.equal(stored.definition.crew[0].systemPrompt, 'one')
    assert.equal(stored.definition.model, null, 'the default model is inherited')
  })

  it('are compared field by field, prompts word by word', async () => {
    const id = await app.createWorkflow({ crew: crew('Write a long text.') })
    await change(id, { crew: crew('Write a short text.'), limits: { max_turns_per_step: 3 } })
    const { from, to, changes } = await app.get(`/v1/workflows/${id}/versions/1/diff`)
    assert.deepEqual([from, to], [1, 2])
    const [prompt, limit] = changes
    assert.deepEqual(limit, {
      field: 'limits.max_turns_per_step',
      agent: null,
      before: 25,
      after: 3,
      parts: null,
    })
    assert.deepEqual([prompt.field, prompt.agent], ['crew[0].systemPrompt', 'writer'])
    assert.deepEqual(prompt.parts, [
      { kind: 'same', text: 'Write a ' },
      { kind: 'removed', text: 'long' },
      { kind: 'added', text: 'short' },
      { kind: 'same', text: ' text.' },
    ])
    const back = await app.get(`/v1/workflows/${id}/versions/2/diff?to=1`)
    assert.deepEqual(pluck(back.changes, 'after'), ['Write a long text.', 25])
    for (const path of ['9', '0', 'x', '9/diff', '1/diff?to=9'])
      assert.equal((await app.call('GET', `/v1/workflows/${id}/versions/${path}`)).status, 404)
  })

  it('can be tried as drafts by real runs, published, and gone back from', async () => {
    app.answer = echo
    const id = await app.createWorkflow({ crew: crew('old words') })
    const { body } = await change(id, { crew: crew('new words'), draft: true })
    assert.deepEqual([body.data.version, body.data.last_version], [1, 2])
    assert.equal(body.data.crew[0].systemPrompt, 'old words')
    // Saving the same draft again makes no new version.
    await change(id, { crew: crew('new words'), draft: true })
    assert.deepEqual(pluck(await versions(id), 'state'), ['draft', 'live'])

    const live = await app.run(id, 'x')
    assert.equal(live.workflow_version, 1)
    assert.equal(instructions(), 'old words')
    const tried = await app.run(id, { input: 'x', version: 2 })
    assert.deepEqual([tried.status, tried.workflow_version], ['completed', 2])
    assert.equal(instructions(), 'new words')

    const published = await publish(id, 2)
    assert.deepEqual([published.status, published.headers.get('etag')], [200, '"2"'])
    assert.equal(published.body.data.crew[0].systemPrompt, 'new words')
    assert.equal(published.body.data.model_inherited, true)
    assert.equal((await app.run(id, 'x')).workflow_version, 2)
    const back = await publish(id, 1)
    assert.deepEqual([back.body.data.version, back.body.data.last_version], [1, 2])
    assert.deepEqual(pluck(await versions(id), 'state'), ['earlier', 'live'])
    assert.equal((await app.run(id, 'x')).workflow_version, 1)
    assert.equal(instructions(), 'old words')
  })

  it('are refused with 412 where another one went live meanwhile, which loses nothing', async () => {
    const id = await app.createWorkflow({ crew: crew('one') })
    const { headers } = await app.call('GET', `/v1/workflows/${id}`)
    const etag = headers.get('etag') ?? ''
    assert.equal((await change(id, { crew: crew('mine') }, etag)).status, 200)
    const late = await change(id, { crew: crew('theirs') }, etag)
    assert.equal(late.status, 412)
    assert.deepEqual(codeOf(late), [412, 'version_conflict'])
    assert.match(late.body.error.message, /If-Match is "1-.*", but version 2 is live/)
    assert.equal((await publish(id, 1, { 'if-match': etag })).status, 412)
    assert.equal((await publish(id, 1, { 'if-match': 'W/"2"' })).status, 412)
    assert.equal((await publish(id, 1, { 'if-match': 'W/"7", "2"' })).status, 200)
    assert.equal((await change(id, { name: 'n' }, '*')).status, 200)
  })

  it('of agents are tried by runs, whatever is live, and forks keep them', async () => {
    await using idle = await startTestApp({ role: 'api' })
    const agentId = await idle.createAgent({ systemPrompt: 'live words' })
    const id = await idle.createWorkflow({ crew: [{ ...crew('x')[0], agentId }] })
    await idle.patch(`/v1/agents/${agentId}`, { systemPrompt: 'draft words', draft: true })
    await idle.patch(`/v1/agents/${agentId}`, { systemPrompt: 'third words' })
    const path = `/v1/workflows/${id}/runs`
    const send = (agent_versions: object) =>
      idle.call('POST', path, { body: { input: 'x', agent_versions } })
    assert.deepEqual(codeOf(await send({ agt_none: 1 })), [400, 'invalid_value'])
    const unknown = await send({ [agentId]: 4 })
    assert.deepEqual(codeOf(unknown), [400, 'unknown_version'])
    assert.match(unknown.body.error.message, /names version 4 of agt_\w+, whose newest is 3/)
    assert.equal((await send({ [agentId]: 0 })).status, 400)
    const runs = await Promise.all(
      [{ [agentId]: 2 }, { [agentId]: 1 }, { [agentId]: 3 }, {}].map(send),
    )
    await idle.patch(`/v1/agents/${agentId}`, { systemPrompt: 'fourth words' })
    await using worker = await idle.startAnother('worker')
    void worker
    const heard = () => idle.models.requests.at(-1)?.body
    for (const [place, words] of ['draft words', 'live words', 'third words'].entries()) {
      const run = await idle.rest(runs[place]?.body.data.id)
      assert.deepEqual([run.status, run.workflow_version], ['completed', 1])
      const version = [2, 1, 3][place]
      assert.equal(run.steps[0].agent_version, version)
      const fork = await idle.post(`/v1/runs/${run.id}/fork`, { from_step: 0 })
      assert.equal((await idle.rest(fork.id)).steps[0].agent_version, version)
      assert.match(heard() ?? '', new RegExp(words))
    }
    assert.equal((await idle.rest(runs[3]?.body.data.id)).steps[0].agent_version, 4)
  })

  it('are not published where they name an agent or a model that is gone', async () => {
    const agentId = await app.createAgent()
    const id = await app.createWorkflow({ crew: [{ ...crew('x')[0], agentId }] })
    await change(id, { crew: crew('plain') })
    await app.delete(`/v1/agents/${agentId}`)
    const refused = await publish(id, 1)
    assert.deepEqual(codeOf(refused), [400, 'unknown_agent'])
    assert.match(refused.body.error.message, new RegExp(`crew\\[0\\]\\.agentId is ${agentId}`))
    assert.equal((await app.get(`/v1/workflows/${id}`)).version, 2)
    assert.equal((await publish(id, 7)).status, 404)
  })

  it('keep a run on what it was triggered with, whatever is published meanwhile', async () => {
    await using idle = await startTestApp({ role: 'api' })
    const id = await idle.createWorkflow({ crew: crew('one') })
    const runId = await idle.trigger(id, { input: 'x', version: 1 })
    await idle.patch(`/v1/workflows/${id}`, { crew: crew('two') })
    await using worker = await idle.startAnother('worker')
    void worker
    const run = await idle.rest(runId)
    assert.deepEqual([run.status, run.workflow_version], ['completed', 1])
  })

  it('keep a run on the version that it began with, though another is published between its steps', async () => {
    const roles = [crew('first'), crew('second of one')].flat()
    const id = await app.createWorkflow({ crew: roles })
    let isPublished = false
    app.answer = (request, response) => {
      if (isPublished) return echo(request, response)
      isPublished = true
      const changed = { crew: [roles[0], ...crew('second of two')] }
      void app.patch(`/v1/workflows/${id}`, changed).then(() => echo(request, response))
    }
    const run = await app.run(id, 'x')
    assert.deepEqual([run.status, run.workflow_version], ['completed', 1])
    assert.equal(instructions(), 'second of one')
    assert.equal((await app.get(`/v1/workflows/${id}`)).version, 2)
  })

  it('check the data of a run against the schema of its version', async () => {
    const input_schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const id = await app.createWorkflow({ crew: crew('x') })
    await change(id, { input_schema, draft: true })
    const path = `/v1/workflows/${id}/runs`
    const wrong = await app.call('POST', path, { body: { input: 'x', version: 2 } })
    assert.deepEqual(codeOf(wrong), [400, 'invalid_data'])
    const right = await app.call('POST', path, { body: { data: { n: 1 }, version: 2 } })
    assert.deepEqual([right.status, right.body.data.workflow_version], [202, 2])
    const none = await app.call('POST', path, { body: { input: 'x', version: 3 } })
    assert.deepEqual(codeOf(none), [400, 'unknown_version'])
    const paused = await change(id, { status: 'paused' })
    assert.equal(paused.status, 200)
    const late = await app.call('POST', path, { body: { data: { n: 1 }, version: 2 } })
    assert.equal(late.status, 409)
    assert.equal((await app.rest(right.body.data.id)).status, 'completed')
  })

  it('record what a process without versions made and changed', async () => {
    const id = await app.createWorkflow({ crew: crew('one') })
    await app.sql`delete from versions where object_id = ${id}`
    const [only, ...others] = await versions(id)
    assert.equal(others.length, 0)
    assert.deepEqual([only.version, only.state, only.author], [1, 'live', null])
    assert.equal((await app.get(`/v1/workflows/${id}/versions/1`)).definition.crew.length, 1)
    assert.equal((await app.run(id, { input: 'x', version: 1 })).workflow_version, 1)
    await app.sql`update workflows set description = 'by hand' where id = ${id}`
    await change(id, { crew: crew('two') })
    const all = await versions(id)
    assert.deepEqual(pluck(all, 'version'), [3, 2, 1])
    assert.deepEqual(pluck(all, 'changed'), [['crew[0].systemPrompt'], ['description'], []])
    assert.equal((await app.get(`/v1/workflows/${id}`)).version, 3)
  })

  it('go with the workflow, and list 10,000 in pages', async () => {
    const id = await app.createWorkflow({ crew: crew('one') })
    await app.sql`
      insert into versions (account_id, object_id, version, definition, base_version, changed, total_bytes)
      select ${app.accountId}, ${id}, n, '{}', 1, '{}', n from generate_series(2, 10000) as n`
    await app.sql`update workflows set last_version = 10000 where id = ${id}`
    const page = await app.call('GET', `/v1/workflows/${id}/versions?limit=100`)
    assert.equal(page.body.data[0].version, 10_000)
    const next = /<(.*)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    assert.equal((await app.get(next))[0].version, 9_900)
    // The oldest versions are deleted to make room; the live one stays, however old it is.
    await change(id, { crew: crew('two') })
    await change(id, { crew: crew('three') })
    const kept = await app.row`
      select count(*)::int as n, min(version) as first from versions where object_id = ${id}`
    assert.deepEqual(kept, { n: 10_000, first: 3 })
    await app.delete(`/v1/workflows/${id}`)
    const left = await app.row`select count(*)::int as n from versions where object_id = ${id}`
    assert.equal(left.n, 0)
  })
})

describe('versions of an agent', () => {
  it('are made, compared, drafted and published; steps say which ran', async () => {
    app.answer = echo
    const agentId = await app.createAgent({ systemPrompt: 'Be kind.' })
    const path = `/v1/agents/${agentId}`
    const drafted = await app.patch(path, { systemPrompt: 'Be brief.', draft: true, note: 'try' })
    assert.deepEqual([drafted.version, drafted.last_version], [1, 2])
    const id = await app.createWorkflow({ crew: [{ ...crew('x')[0], agentId }] })
    assert.equal((await app.run(id, 'x')).steps[0].agent_version, 1)
    assert.equal(instructions(), 'Be kind.')
    const { changes } = await app.get(`${path}/versions/1/diff?to=2`)
    assert.deepEqual(pluck(changes, 'field'), ['systemPrompt'])
    const published = await app.call('POST', `${path}/versions/2/publish`)
    assert.deepEqual([published.status, published.headers.get('etag')], [200, '"2"'])
    assert.equal((await app.run(id, 'x')).steps[0].agent_version, 2)
    assert.equal(instructions(), 'Be brief.')
    await app.patch(path, { status: 'paused' })
    assert.equal((await app.get(path)).version, 2)
    const late = await app.call('PATCH', path, {
      body: { model: testModel },
      headers: { 'if-match': '"1"' },
    })
    assert.equal(late.status, 412)
    const wrong = await app.call('PATCH', path, { body: { status: 'active', draft: true } })
    assert.deepEqual(codeOf(wrong), [400, 'invalid_value'])
    const gone = await app.call('PATCH', path, { body: { model: 'nobody/none', draft: true } })
    assert.deepEqual(codeOf(gone), [400, 'unknown_model'])
    const [newest] = await app.get(`${path}/versions`)
    assert.deepEqual([newest.state, newest.note], ['live', 'try'])
  })
})
