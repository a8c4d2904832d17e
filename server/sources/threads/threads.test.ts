import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../../../rig/until.ts'
import { clerkFixture, ask } from '../../../test/clerk.ts'
import { callTools, complete, echo, type ModelAnswer } from '../../../test/test-app.ts'
import { Pruner } from '../../retention/retention.ts'
import { openThread } from './test-thread.ts'

const at = clerkFixture({ intervals: { usageMs: 50 } })
const { app } = at

/** Answers with the whole prompt of the first agent, so that a test sees what it was sent. */
const parrot: ModelAnswer = (request, response) =>
  complete(response, request.messages.at(-1)?.content ?? '')

describe('a thread', () => {
  it('answers messages in order, each by a run of its own', async () => {
    app.answer = echo
    const thread = await openThread(app)
    for (const text of ['one', 'two', 'three']) await thread.send(text)
    const all = await thread.settled()
    assert.deepEqual(
      all.map(({ turn, role, text, status }) => [turn, role, text, status]),
      [
        [1, 'user', 'one', 'answered'],
        [1, 'assistant', 'echo: one', 'answered'],
        [2, 'user', 'two', 'answered'],
        [2, 'assistant', 'echo: two', 'answered'],
        [3, 'user', 'three', 'answered'],
        [3, 'assistant', 'echo: three', 'answered'],
      ],
    )
    const runs = await app.get(`/v1/runs?thread_id=${thread.id}`)
    assert.deepEqual(
      runs.map((run: Record<string, unknown>) => [run['turn'], run['input'], run['thread_id']]),
      [
        [3, 'three', thread.id],
        [2, 'two', thread.id],
        [1, 'one', thread.id],
      ],
    )
    const { turns, title, cost_usd, tokens_in, waiting } = await app.get(thread.path)
    assert.deepEqual(
      { turns, title, tokens_in, waiting },
      { turns: 3, title: 'one', tokens_in: 30, waiting: null },
    )
    assert.ok(cost_usd > 0)
    await until('its usage is grouped by thread', 10_000, async () => {
      const usage = await app.get('/v1/usage?group_by=thread')
      const [own] = usage.filter((row: { thread: string }) => row.thread === thread.id)
      return own?.runs === 3 && own.name === 'one' && Math.abs(own.cost_usd - cost_usd) < 1e-9
    })
  })

  it('sends the earlier turns to the first agent, and shows them in the input of its step', async () => {
    const sent: string[] = []
    app.answer = (request, response) => {
      sent.push(request.messages.at(-1)?.content ?? '')
      complete(response, `answer ${sent.length}`)
    }
    const crew = [
      { role: 'first', systemPrompt: 's' },
      { role: 'second', systemPrompt: 's' },
    ]
    const thread = await openThread(app, { workflow: { crew } })
    await thread.send('hello')
    await thread.settled()
    const { run_id } = await thread.send('again').then(({ id }) => thread.reaches(id, 'answered'))
    assert.equal(sent[0], 'hello')
    const expected = [
      '## Conversation so far',
      '### Message of turn 1\n\nhello',
      '### Answer of turn 1\n\nanswer 2',
      '## New message\n\nagain',
    ].join('\n\n')
    assert.equal(sent[2], expected)
    assert.ok(!sent[3]?.includes('hello'))
    const run = await app.get(`/v1/runs/${run_id}`)
    assert.equal(run.input, 'again')
    assert.deepEqual(
      run.steps.map((step: { input: string }) => step.input),
      sent.slice(2),
    )
    const turns = await app.get(`/v1/runs/${run_id}/steps/0/turns`)
    assert.equal(turns[0].messages[1].text, expected)
  })

  it('sends only the newest output, or nothing, if the workflow says so', async () => {
    app.answer = parrot
    const last = await openThread(app, { thread: { context: 'last_output' } })
    await last.send('one')
    await last.settled()
    await last.send('two')
    const [, , , second] = await last.settled()
    assert.equal(second?.text, '## Your last answer\n\none\n\n## New message\n\ntwo')
    const none = await openThread(app, { thread: { context: 'none' } })
    await none.send('one')
    await none.send('two')
    assert.equal((await none.settled())[3]?.text, 'two')
  })

  it('folds what does not fit into a summary, once, and counts its cost', async () => {
    const isSummary = (text: string): boolean => text.startsWith('You write the notes')
    const prompts: string[] = []
    let summaries = 0
    app.answer = (request, response) => {
      const [system, user] = request.messages
      if (isSummary(system?.content ?? '')) complete(response, `notes ${++summaries}`, 1_000, 100)
      else {
        prompts.push(user?.content ?? '')
        complete(response, 'y'.repeat(600))
      }
    }
    const thread = await openThread(app, { thread: { max_tokens: 500 } })
    for (let turn = 1; turn <= 4; turn++) {
      await thread.send(`${turn} ${'x'.repeat(600)}`)
      await thread.settled()
    }
    const list = await app.get(`${thread.path}/summaries`)
    assert.ok(list.length > 0)
    assert.equal(list.length, summaries)
    const [newest] = list
    assert.equal(newest.text, `notes ${summaries}`)
    assert.ok(newest.tokens_after < newest.tokens_before)
    assert.match(prompts.at(-1) ?? '', /### Summary of turns 1 to \d\n\nnotes/)
    const runs: { cost_usd: number }[] = await app.get(`/v1/runs?thread_id=${thread.id}`)
    const costs = [...runs, ...list].reduce((sum, { cost_usd }) => sum + cost_usd, 0)
    const { cost_usd } = await app.get(thread.path)
    assert.ok(Math.abs(cost_usd - costs) < 1e-9)
  })

  it('keeps messages waiting while an approval is open', async () => {
    app.answer = (request, response) => {
      const isOpen = request.messages.at(-1)?.role !== 'tool'
      if (isOpen && request.messages.at(-1)?.content.endsWith('write it')) {
        callTools(response, [{ name: 'sink__write', arguments: { text: 'done' } }])
      } else complete(response, 'ok')
    }
    const workflowId = await at.createWorkflow({ enabled: true }, { thread: {} })
    const thread = await openThread(app, { workflowId })
    const asking = await thread.send('write it')
    const waiting = await thread.reaches(asking.id, 'waiting_input')
    const behind = await thread.send('yes, approve it')
    const { waiting: pendingId } = await app.get(thread.path)
    assert.match(pendingId, /^pnd_/)
    assert.equal((await thread.messages()).find(({ id }) => id === behind.id)?.status, 'queued')
    assert.deepEqual(at.sink.calls.length, 0)
    await app.post(`/v1/runs/${waiting.run_id}/respond`, {
      action: 'approve',
      pending_id: pendingId,
    })
    const all = await thread.settled()
    assert.deepEqual(
      all.map(({ role, status }) => `${role} ${status}`),
      ['user answered', 'assistant answered', 'user answered', 'assistant answered'],
    )
    assert.equal(at.sink.calls.length, 1)
  })

  it('keeps a question open until it is answered, whatever is written meanwhile', async () => {
    app.answer = (request, response) => {
      if (request.messages.at(-1)?.content.endsWith('ask me')) callTools(response, [ask('which?')])
      else complete(response, String(request.messages.at(-1)?.content.split('\n').at(-1)))
    }
    const thread = await openThread(app, { workflow: { human_in_the_loop: { enabled: true } } })
    const first = await thread.send('ask me')
    const { run_id } = await thread.reaches(first.id, 'waiting_input')
    await thread.send('not an answer')
    assert.equal((await app.get(`/v1/runs/${run_id}`)).status, 'waiting_input')
    await app.post(`/v1/runs/${run_id}/respond`, { action: 'input', input: 'this one' })
    const all = await thread.settled()
    assert.deepEqual(
      all.map(({ text }) => text),
      ['ask me', 'this one', 'not an answer', 'not an answer'],
    )
  })
})

describe('messages of a thread', () => {
  it('are refused beyond twenty that wait, and where the thread or the workflow takes none', async () => {
    app.answer = () => {}
    const thread = await openThread(app)
    const path = `${thread.path}/messages`
    const sent = await Promise.all(
      Array.from({ length: 23 }, () => app.call('POST', path, { body: { input: 'x' } })),
    )
    const codes = sent.map(({ status, body }) => (status === 202 ? 202 : body.error.code))
    assert.equal(codes.filter((code) => code === 202).length, 21)
    assert.deepEqual(new Set(codes), new Set([202, 'thread_full']))
    assert.equal((await app.call('DELETE', thread.path)).body.error.code, 'thread_busy')
    app.answer = echo
    await app.post(`${thread.path}/stop`, { queued: 'cancel' })
    const statuses = (await thread.settled()).map(({ status }) => status)
    assert.deepEqual(new Set(statuses), new Set(['cancelled']))

    await app.patch(thread.path, { status: 'closed' })
    const closed = await app.call('POST', path, { body: { input: 'x' } })
    assert.deepEqual([closed.status, closed.body.error.code], [409, 'thread_closed'])
    await app.patch(thread.path, { status: 'open' })
    await app.patch(`/v1/workflows/${thread.workflowId}`, { status: 'paused' })
    const paused = await app.call('POST', path, { body: { input: 'x' } })
    assert.deepEqual([paused.status, paused.body.error.code], [409, 'workflow_paused'])
    const without = { workflow_id: await app.createWorkflow() }
    const none = await app.call('POST', '/v1/threads', { body: without })
    assert.deepEqual([none.status, none.body.error.code], [409, 'threads_disabled'])
    const empty = await app.call('POST', path, { body: {} })
    assert.deepEqual([empty.status, empty.body.error.code], [400, 'required'])
  })

  it('go on after a turn that fails or is stopped, and say why', async () => {
    let calls = 0
    app.answer = (request, response) => {
      calls++
      const text = request.messages.at(-1)?.content ?? ''
      if (text.endsWith('fail'))
        response.writeHead(400).end('{"error":{"message":"no such thing"}}')
      else if (!text.endsWith('hang')) echo(request, response)
    }
    const thread = await openThread(app)
    await thread.send('fail')
    const hanging = await thread.send('hang')
    await thread.send('go on')
    await until('the second turn is in progress', 20_000, () => Promise.resolve(calls >= 2))
    await thread.reaches(hanging.id, 'running')
    const stopped = await app.post(`${thread.path}/stop`, {})
    assert.equal(stopped.turns, 3)
    const all = await thread.settled()
    assert.deepEqual(
      all.map(({ role, status }) => `${role} ${status}`),
      ['user failed', 'user cancelled', 'user answered', 'assistant answered'],
    )
    assert.match(all[0]?.why ?? '', /no such thing/)
    assert.match(all[1]?.why ?? '', /cancelled by request/)
    const { body } = await app.call('GET', `/v1/runs/${all[2]?.run_id}`)
    assert.match(body.data.steps[0].input, /\[No answer: failed, .*no such thing/)
  })

  it('are the same for a repeated request, and threads for a repeated key', async () => {
    app.answer = echo
    const thread = await openThread(app, { body: { key: 'k1' } })
    const again = { workflow_id: thread.workflowId, key: 'k1' }
    const repeated = await app.call('POST', '/v1/threads', { body: again })
    assert.deepEqual([repeated.status, repeated.body.data.id], [200, thread.id])
    const headers = { 'idempotency-key': 'm1' }
    const request = { body: { input: 'once' }, headers }
    const first = await app.call('POST', `${thread.path}/messages`, request)
    await app.forgetAnswer('m1')
    const second = await app.call('POST', `${thread.path}/messages`, request)
    assert.equal(first.body.data.id, second.body.data.id)
    assert.equal((await thread.settled()).length, 2)
  })

  it('are deleted with their runs, words and summaries', async () => {
    app.answer = echo
    const thread = await openThread(app, { body: { title: 'Pump of line four' } })
    await thread.send('the pump')
    const [message] = await thread.settled()
    assert.deepEqual(
      (await app.get('/v1/threads?q=PUMP')).map(({ id }: { id: string }) => id),
      [thread.id],
    )
    const retry = await app.call('POST', `/v1/runs/${message?.run_id}/fork`, {
      body: { from_step: 0 },
    })
    assert.equal(retry.body.data.thread_id, null)
    await app.delete(thread.path)
    assert.equal((await app.call('GET', thread.path)).status, 404)
    assert.equal((await app.call('GET', `/v1/runs/${message?.run_id}`)).status, 404)
    for (const table of ['thread_messages', 'thread_summaries']) {
      const [{ count }] = await app.sql`
        select count(*)::int as count from thread_messages where thread_id = ${thread.id}`
      assert.equal(count, 0, table)
    }
    assert.deepEqual(await app.get('/v1/threads?q=PUMP'), [])
  })

  it('wait while the budget of their thread is used up', async () => {
    app.answer = echo
    const thread = await openThread(app)
    const fields = { scope: 'thread', window: 'day', cap_usd: 1, on_cap: 'refuse', name: 'B' }
    const unknown = { ...fields, scope_value: 'thr_x' }
    const refusal = await app.call('POST', '/v1/budgets', { body: unknown })
    assert.deepEqual([refusal.status, refusal.body.error.param], [400, 'scope_value'])
    const { id } = await app.post('/v1/budgets', { ...fields, scope_value: thread.id })
    const other = await openThread(app)
    await other.send('of another thread')
    await other.settled()
    assert.equal((await app.get(`/v1/budgets/${id}`)).spent_usd, 0)
    // Workers learn within a second that the account has budgets.
    await until('a turn counts towards its budget', 20_000, async () => {
      await thread.send('one')
      await thread.settled()
      return (await app.get(`/v1/budgets/${id}`)).spent_usd > 0
    })
    await app.sql`update budget_windows set spent_usd = 2 where budget_id = ${id}`
    await thread.send('two')
    await until('the message says why it waits', 20_000, async () => {
      return /the budget B .* is spent/.test((await thread.messages()).at(-1)?.why ?? '')
    })
    await app.delete(`/v1/budgets/${id}`)
    await app.sql`update thread_messages set due_at = now() where due_at is not null`
    assert.equal((await thread.settled()).at(-1)?.text, 'echo: two')
  })

  it('are deleted by age with their thread, not run by run', async () => {
    app.answer = echo
    const thread = await openThread(app)
    await thread.send('old')
    const [message] = await thread.settled()
    await app.sql`
      update runs set finished_at = now() - interval '9 days', created_at = now() - interval '9 days'
      where id = ${message?.run_id}`
    const retention = {
      eventsDays: 0,
      transcriptsDays: 0,
      deliveriesDays: 0,
      auditDays: 0,
      runsDays: 5,
    }
    const prune = async (): Promise<void> => {
      const pruner = new Pruner(app.database, retention, (error) => assert.fail(String(error)))
      while (await pruner.tick());
    }
    await prune()
    assert.equal((await app.call('GET', `/v1/runs/${message?.run_id}`)).status, 200)
    await app.sql`update threads set updated_at = now() - interval '9 days' where id = ${thread.id}`
    await prune()
    assert.equal((await app.call('GET', thread.path)).status, 404)
    assert.equal((await app.call('GET', `/v1/runs/${message?.run_id}`)).status, 404)
  })
})
