import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { until } from '../../rig/until.ts'
import { earlier } from '../../test/earlier.ts'
import { pluck } from '../../test/pluck.ts'
import { callerFixture, callLookup, callRefund, lookup } from './test-caller.ts'

const at = callerFixture()
const { app, start, claim, claimOne, report, callOf, endLeases } = at

describe('a call of a caller’s tool', () => {
  it('is claimed, answered, and goes to the agent', async () => {
    const runId = await start([callLookup('A-7')])
    const call = await claimOne()
    const { id, lease, requested_at, expires_at, lease_expires_at, workflow_id, ...rest } = call
    assert.deepEqual(rest, {
      run_id: runId,
      step_order: 0,
      agent_id: null,
      name: 'lookup_order',
      input: { order: 'A-7' },
      try: 1,
    })
    assert.match(workflow_id, /^wf_/)
    assert.equal(Date.parse(expires_at) - Date.parse(requested_at), 300_000)
    assert.ok(Date.parse(lease_expires_at) <= Date.now() + 60_000)
    await until('the run is held', 20_000, async () => {
      const { status, held } = await app.get(`/v1/runs/${runId}`)
      return status === 'running' && held?.reason === 'caller_tool'
    })
    const { held } = await app.get(`/v1/runs/${runId}`)
    assert.match(held.message, /waits for a worker's result of lookup_order/)
    assert.equal(held.next_try_at, null)
    const [job] = await app.sql`select worker from jobs where run_id = ${runId}`
    assert.deepEqual(job, { worker: null })

    const { status, body } = await report(id, { lease, output: { state: 'shipped' } })
    assert.equal(status, 200)
    assert.deepEqual([body.data.status, body.data.output], ['succeeded', { state: 'shipped' }])
    assert.equal('lease' in body.data, false)
    const run = await app.rest(runId)
    assert.equal(run.output, 'done: {"state":"shipped"}')
    const [made] = run.steps[0].tool_calls
    assert.deepEqual(
      [made.id, made.tool, made.status, made.output],
      [id, 'app.lookup_order', 'succeeded', '{"state":"shipped"}'],
    )
    const events = await app.events(runId)
    const requested = events.find(({ type }) => type === 'tool.requested')
    assert.deepEqual(requested?.data, {
      order: 0,
      role: 'clerk',
      tool: 'app.lookup_order',
      call_id: id,
      run_id: runId,
      name: 'lookup_order',
      input: { order: 'A-7' },
      expires_at,
    })
    assert.equal(events.filter(({ type }) => type === 'tool.completed').length, 1)
    assert.equal(lookup.sensitive, false)
  })

  it('counts neither as run time nor as a slot while workers have it', async () => {
    const runId = await start([callLookup()])
    const { id } = await claimOne()
    await until('the run is held', 20_000, async () => {
      return (await app.get(`/v1/runs/${runId}`)).held?.reason === 'caller_tool'
    })
    await app.sql`
      update runs set started_at = ${earlier('started_at', '1 hour')}, counted_to = ${earlier('counted_to', '1 hour')}
      where id = ${runId}`
    await report(id, { output: 'late' })
    const { waited_ms, status } = await app.rest(runId)
    assert.equal(status, 'completed')
    assert.ok(waited_ms >= 3_600_000 && waited_ms < 3_660_000, String(waited_ms))
  })

  it('is not requested if its arguments do not fit its schema', async () => {
    const runId = await start([callLookup('no order')])
    const { output } = await app.rest(runId)
    assert.match(output, /^done: This call was not made: .*order/)
    assert.deepEqual(await app.get(`/v1/tool-calls?run_id=${runId}`), [])
  })

  it('waits for its siblings: the run goes on when all of a turn have an outcome', async () => {
    const runId = await start([callLookup('A-1', 'a'), callLookup('A-2', 'b')])
    const calls = await (async () => {
      await callOf(runId)
      return claim({ limit: 10 })
    })()
    assert.deepEqual(
      calls.map(({ input }) => input.order),
      ['A-1', 'A-2'],
    )
    await report(calls[1].id, { output: 'two' })
    const requests = app.models.requests.length
    await until('it is held for the other', 20_000, async () => {
      return (await app.get(`/v1/runs/${runId}`)).held?.reason === 'caller_tool'
    })
    assert.equal(app.models.requests.length, requests)
    await report(calls[0].id, { output: 'one' })
    assert.equal((await app.rest(runId)).output, 'done: one | two')
  })

  it('is held by one worker at a time, with several claiming at once', async () => {
    const runs = await Promise.all(
      Array.from({ length: 8 }, (_, n) => start([callLookup(`A-${n}`)])),
    )
    for (const runId of runs) await callOf(runId)
    const claimed = await Promise.all(Array.from({ length: 12 }, () => claim({ limit: 3 })))
    const ids = pluck(claimed.flat(), 'id')
    assert.equal(ids.length, 8)
    assert.equal(new Set(ids).size, 8)
    for (const id of ids) await report(id, { output: 1 })
    for (const runId of runs) await app.rest(runId)
  })

  it('answers a claim that waits, at once and only with the wanted names', async () => {
    const other = claim({ names: ['refund'], wait_seconds: 2 })
    const waiting = claim({ names: ['lookup_order'], wait_seconds: 30 })
    const runId = await start([callLookup()])
    const [call] = await waiting
    assert.equal(call.run_id, runId)
    assert.deepEqual(await other, [])
    await report(call.id, { output: null })
    assert.equal((await app.rest(runId)).output, 'done: null')
  })
})

describe('approval', () => {
  it('comes before the request, whose time starts then', async () => {
    const runId = await start([callRefund()], { enabled: true })
    const { pending } = await app.rest(runId)
    assert.deepEqual([pending.tool, pending.tool_input], ['app.refund', { usd: 5 }])
    assert.deepEqual(await claim(), [])
    await app.post(`/v1/runs/${runId}/respond`, { action: 'approve', tool_input: { usd: 3 } })
    const call = await claimOne()
    assert.deepEqual(call.input, { usd: 3 })
    assert.equal(Date.parse(call.expires_at) - Date.parse(call.requested_at), 600_000)
    await report(call.id, { output: 'paid' })
    assert.match((await app.rest(runId)).output, /changed the arguments to \{"usd":3\}\.\s+paid/)
  })

  it('refuses an edit that does not fit the schema', async () => {
    const runId = await start([callRefund()], { enabled: true })
    await app.rest(runId)
    const body = { action: 'approve', tool_input: { usd: 'all' } }
    const answer = await app.call('POST', `/v1/runs/${runId}/respond`, { body })
    assert.deepEqual([answer.status, answer.body.error.code], [400, 'invalid_arguments'])
    await app.post(`/v1/runs/${runId}/respond`, { action: 'reject' })
    await app.rest(runId)
  })

  it('of one call leaves another with its worker meanwhile', async () => {
    const runId = await start([callRefund(), callLookup()], { enabled: true })
    assert.equal((await app.rest(runId)).status, 'waiting_input')
    const call = await claimOne()
    assert.equal(call.name, 'lookup_order')
    await report(call.id, { output: 'found' })
    await app.post(`/v1/runs/${runId}/respond`, { action: 'reject' })
    assert.match((await app.rest(runId)).output, /rejected this action.* \| found$/)
  })

  it('is decided by rules for its action', async () => {
    const rules = [{ action: 'app.*', decision: 'block', reason: 'not today' }]
    await app.patch('/v1/policies', { rules })
    try {
      const runId = await start([callLookup()])
      assert.match((await app.rest(runId)).output, /a rule blocks it \(not today\)/)
    } finally {
      await app.patch('/v1/policies', { rules: [] })
    }
  })
})

describe('a lease that ends', () => {
  it('gives a call that only reads to another worker; the first result counts', async () => {
    const runId = await start([callLookup()])
    const first = await claimOne()
    await endLeases()
    const second = await claimOne()
    assert.deepEqual([second.id, second.try], [first.id, 2])
    assert.notEqual(second.lease, first.lease)
    const beat = (lease: string) =>
      app.call('POST', `/v1/tool-calls/${first.id}/heartbeat`, { body: { lease } })
    const lost = await beat(first.lease)
    assert.deepEqual([lost.status, lost.body.error.code], [409, 'lease_lost'])
    assert.equal((await beat(second.lease)).status, 200)
    assert.equal((await report(first.id, { lease: first.lease, output: 'first' })).status, 200)
    const late = await report(first.id, { lease: second.lease, output: 'second' })
    assert.deepEqual([late.status, late.body.error.code], [409, 'tool_call_answered'])
    assert.match(late.body.error.message, /"first"/)
    assert.equal((await report(first.id, { output: 'first' })).status, 200)
    assert.equal((await app.rest(runId)).output, 'done: first')
  })

  it('leaves the outcome of a sensitive call to a person, who may repeat it', async () => {
    const runId = await start([callRefund()], { enabled: true })
    await app.rest(runId)
    await app.post(`/v1/runs/${runId}/respond`, { action: 'approve' })
    const first = await claimOne()
    await endLeases()
    const { pending, status } = await app.rest(runId)
    assert.equal(status, 'waiting_input')
    assert.match(pending.prompt, /unknown whether app\.refund .*lease ended/)
    assert.equal((await callOf(runId)).status, 'unknown')
    assert.deepEqual(await claim(), [])
    await app.post(`/v1/runs/${runId}/respond`, { action: 'approve' })
    const second = await claimOne()
    assert.deepEqual([second.id, second.try], [first.id, 2])
    await report(second.id, { lease: second.lease, output: 'paid' })
    assert.equal((await app.rest(runId)).output, 'done: paid')
  })

  it('is closed by a late result, unless a person was first', async () => {
    const begin = async () => {
      const runId = await start([callRefund()], { enabled: true })
      await app.rest(runId)
      await app.post(`/v1/runs/${runId}/respond`, { action: 'approve' })
      const { id, lease } = await claimOne()
      await endLeases()
      await until('a person is asked', 20_000, async () => {
        const { pending, status } = await app.get(`/v1/runs/${runId}`)
        return status === 'waiting_input' && pending.prompt.includes('unknown')
      })
      return { runId, id, lease }
    }
    const one = await begin()
    assert.equal((await report(one.id, { lease: one.lease, output: 'late' })).status, 200)
    const run = await app.rest(one.runId)
    assert.deepEqual([run.status, run.output], ['completed', 'done: late'])
    const events = await app.events(one.runId)
    const resumed = events.findLast(({ type }) => type === 'run.resumed')
    assert.equal((resumed?.data as { decision: string } | undefined)?.decision, 'withdrawn')

    const two = await begin()
    await app.post(`/v1/runs/${two.runId}/respond`, { action: 'reject' })
    const { status, body } = await report(two.id, { lease: two.lease, output: 'late' })
    assert.deepEqual([status, body.error.code], [409, 'tool_call_answered'])
    assert.match((await app.rest(two.runId)).output, /decided not to repeat it/)
  })

  it('tells the agent if no person may be asked, and a result before that counts', async () => {
    const runId = await start([callRefund()])
    await claimOne()
    await endLeases()
    const { output, warnings } = await app.rest(runId)
    assert.match(output, /unknown whether this action was done.*lease ended/)
    assert.deepEqual(pluck(warnings, 'code'), ['action_unknown'])
  })
})

describe('the time of a call', () => {
  const end = (runId: string) => app.sql`
    update requested_calls set due_at = now() - interval '1 second', expires_at = now() - interval '1 second'
    where run_id = ${runId}`

  it('ends it if no worker took it, because it surely did not happen', async () => {
    const runId = await start([callRefund()])
    const { id } = await callOf(runId)
    await end(runId)
    const run = await app.rest(runId)
    assert.equal(run.output, 'done: This call was not made: no worker took it in 600 s.')
    assert.equal((await callOf(runId)).status, 'failed')
    const { status, body } = await report(id, { output: 'late' })
    assert.deepEqual([status, body.error.code], [409, 'tool_call_expired'])
  })

  it('makes it unknown if a worker has it and it is sensitive, failed otherwise', async () => {
    for (const [call, outcome] of [
      [callRefund(), 'unknown'],
      [callLookup(), 'failed'],
    ] as const) {
      const runId = await start([call])
      const { id, lease } = await claimOne()
      await end(runId)
      await app.rest(runId)
      assert.equal((await callOf(runId)).status, outcome)
      const { status, body } = await report(id, { lease, output: 'late' })
      assert.equal(status, 409)
      assert.equal(body.error.code, 'tool_call_expired')
    }
  })
})

describe('an error', () => {
  it('fails the call, with its words for the agent', async () => {
    const runId = await start([callRefund()])
    const { id, lease } = await claimOne()
    const { body } = await report(id, { lease, error: { message: 'no such order' } })
    assert.deepEqual([body.data.status, body.data.error], ['failed', 'no such order'])
    assert.equal((await app.rest(runId)).output, 'done: no such order')
  })

  it('that is retryable gives it out again, sensitive too, five times at most', async () => {
    const runId = await start([callRefund()])
    const error = { message: 'busy', retryable: true }
    for (let number = 1; number <= 5; number++) {
      const call = await claimOne()
      assert.equal(call.try, number)
      const { status, body } = await report(call.id, { lease: call.lease, error })
      assert.equal(status, 200)
      assert.equal(body.data.status, number < 5 ? 'requested' : 'failed')
    }
    assert.equal((await app.rest(runId)).output, 'done: busy')
  })

  it('that is retryable counts only from the worker that has the call', async () => {
    const runId = await start([callLookup()])
    const first = await claimOne()
    await endLeases()
    const second = await claimOne()
    const error = { message: 'busy', retryable: true }
    const { status, body } = await report(first.id, { lease: first.lease, error })
    assert.deepEqual([status, body.error.code], [409, 'lease_lost'])
    await report(second.id, { lease: second.lease, output: 1 })
    await app.rest(runId)
  })

  it('and an output do not go together, and one is needed', async () => {
    const runId = await start([callLookup()])
    const { id } = await claimOne()
    for (const body of [{}, { output: 1, error: { message: 'x' } }, { error: {} }]) {
      assert.equal((await report(id, body)).status, 400)
    }
    const { status, body } = await report(id, { output: 'x'.repeat(1024 * 1024) })
    assert.deepEqual([status, body.error.type], [413, 'payload_too_large'])
    await report(id, { output: 1 })
    await app.rest(runId)
  })
})

it('a result of a cancelled run is refused, and its call is cancelled', async () => {
  const runId = await start([callLookup()])
  const { id, lease } = await claimOne()
  await app.post(`/v1/runs/${runId}/cancel`)
  assert.equal((await callOf(runId)).status, 'cancelled')
  const { status, body } = await report(id, { lease, output: 1 })
  assert.deepEqual([status, body.error.code], [409, 'tool_call_cancelled'])
  const beat = await app.call('POST', `/v1/tool-calls/${id}/heartbeat`, { body: { lease } })
  assert.equal(beat.body.error.code, 'lease_lost')
})

it('an output over 64 KB is a file of the run, whose head the agent reads', async () => {
  const runId = await start([callLookup()])
  const { id, lease } = await claimOne()
  const output = { rows: Array.from({ length: 9_000 }, (_, row) => `row number ${row}`) }
  const { body } = await report(id, { lease, output })
  assert.ok(JSON.stringify(output).startsWith(body.data.output.slice(0, 60_000)))
  const run = await app.rest(runId)
  const [file] = run.files.outputs
  assert.equal(file.name, `${id}.json`)
  assert.match(run.output, /The whole output is a file/)
  const content = await fetch(`${app.url}/v1/files/${file.id}/content`, {
    headers: { authorization: `Bearer ${app.key}` },
  })
  assert.deepEqual(await content.json(), output)
})

it('a key with the role worker reaches these routes alone', async () => {
  const { key } = await app.post('/v1/api-keys', { name: 'w', role: 'worker' })
  const runId = await start([callLookup()])
  const { id, lease } = (await claim({ wait_seconds: 20 }, key))[0]
  const as = app.as(key)
  assert.equal((await as.get('/v1/tool-calls'))[0].id, id)
  await as.post(`/v1/tool-calls/${id}/heartbeat`, { lease })
  await as.post(`/v1/tool-calls/${id}/result`, { lease, output: 1 })
  for (const path of ['/v1/runs', '/v1/account', '/v1/tool-workers', '/v1/workflows']) {
    const { status, body } = await as.call('GET', path)
    assert.deepEqual([status, body.error?.code], [403, 'role_required'], path)
  }
  await app.rest(runId)
  const viewer = await app.post('/v1/api-keys', { name: 'v', role: 'viewer' })
  const reader = app.as(viewer.key)
  assert.equal((await reader.call('POST', '/v1/tool-calls/claim', { body: {} })).status, 403)
  assert.equal((await reader.get(`/v1/tool-calls/${id}`)).status, 'succeeded')
  const workers = await reader.get('/v1/tool-workers')
  assert.ok(workers.some((one: { key: { name: string } }) => one.key.name === 'w'))
})

it('a webhook gets the request, and its receiver reports without a lease', async () => {
  await using receiver = await startScriptedServer((response) => send(response, {}))
  const { id: webhookId } = await app.post('/v1/webhooks', {
    url: `${receiver.url}/hook`,
    events: ['tool.requested'],
  })
  const runId = await start([callLookup('A-9')])
  await receiver.until(() => receiver.requests.length > 0)
  const { type, data } = JSON.parse(receiver.requests[0]?.body ?? '')
  assert.equal(type, 'tool.requested')
  const { call_id, expires_at, ...rest } = data
  assert.deepEqual(rest, { run_id: runId, name: 'lookup_order', input: { order: 'A-9' } })
  assert.equal(expires_at, (await callOf(runId)).expires_at)
  assert.equal((await report(call_id, { output: 'by webhook' })).status, 200)
  assert.equal((await app.rest(runId)).output, 'done: by webhook')
  await app.delete(`/v1/webhooks/${webhookId}`)
})
