import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { startWebhookReceiver } from '../rig/webhook-receiver.ts'
import { until } from '../rig/until.ts'
import { diagnose, releaseDeliveries } from '../server/start/doctor-store.ts'
import { clerkFixture } from './clerk.ts'
import { callTools, complete, echo, startTestApp, toolResults } from './test-app.ts'

describe('a database that is on another timeline than before', () => {
  const { app, sink, createWorkflow } = clerkFixture()
  const run = (workflowId: string) => app.trigger(workflowId)
  const read = (id: string) => app.rest(id)

  /** Simulates a failover: the recorded server differs, and connections are broken. */
  const promote = async ({ database } = app): Promise<void> => {
    await sql`
      update epochs set timeline = timeline - 1
      where number = (select max(number) from epochs)`.execute(database)
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(database)
  }
  const epoch = async (): Promise<number> => (await diagnose(app.database)).epochs.length - 1

  it('asks before an open action, holds webhooks, and names what is lost', async () => {
    await using receiver = await startWebhookReceiver()
    await app.post('/v1/webhooks', { url: receiver.url, events: ['run.completed'] })
    const asking = await createWorkflow({ enabled: true, approvals: 'never' })
    const alone = await createWorkflow({ enabled: false, approvals: 'never' })
    const gate = Promise.withResolvers<void>()
    app.answer = (request, response) => {
      if (toolResults(request).length > 0) return complete(response, 'done')
      void gate.promise.then(() =>
        callTools(response, [{ name: 'sink__write', arguments: { text: 'a' } }]),
      )
    }
    const first = await run(asking)
    const second = await run(alone)
    const lost = await run(alone)
    await app.models.until(() => app.models.active === 3)
    // Removes what a standby may lack: all rows of the last run.
    for (const table of ['events', 'steps', 'jobs']) {
      await sql`delete from ${sql.table(table)} where run_id = ${lost}`.execute(app.database)
    }
    await sql`delete from runs where id = ${lost}`.execute(app.database)

    await promote()
    await until('an epoch began', 20_000, async () => (await epoch()) === 1)
    gate.resolve()
    const asked = await read(first)
    assert.match(
      asked.pending?.prompt ?? JSON.stringify(asked),
      /unknown whether sink\.write .* was done/,
    )
    const told = await read(second)
    assert.equal(told.status, 'completed')
    assert.equal(told.steps[0].tool_calls[0].status, 'unknown')
    assert.equal(sink.calls.length, 0, 'no action went out unasked')

    const approval = { body: { action: 'approve', pending_id: asked.pending.id } }
    assert.equal((await app.call('POST', `/v1/runs/${first}/respond`, approval)).status, 202)
    assert.equal((await read(first)).status, 'completed')
    assert.equal(sink.calls.length, 1, 'what a person approves goes out, once')

    const found = await diagnose(app.database)
    assert.deepEqual(
      found.losses.flatMap((one) => (one.run_id === lost ? [one.event_type] : [])).toSorted(),
      ['run.queued', 'run.started', 'step.started'],
    )
    assert.equal(found.deliveries_held, true)
    assert.deepEqual([receiver.received.length, found.epochs[1]?.reason], [0, 'promoted'])
    assert.equal((await releaseDeliveries(app.database)).were_held, true)
    await until('webhooks arrive', 20_000, () => receiver.received.length === 2)

    app.answer = (request, response) =>
      toolResults(request).length > 0
        ? complete(response, 'done')
        : callTools(response, [{ name: 'sink__write', arguments: { text: 'b' } }])
    assert.equal((await read(await run(alone))).status, 'completed')
    assert.equal(sink.calls.length, 2, 'a run of the new epoch asks nobody')
  })

  it('begins an epoch once, however many processes find it', async () => {
    await using _second = await app.startAnother('all')
    await using _third = await app.startAnother('worker')
    const before = await epoch()
    await promote()
    await until('an epoch began', 20_000, async () => (await epoch()) > before)
    app.answer = echo
    const workflowId = await app.createWorkflow({ crew: [{ role: 'a', systemPrompt: 'a' }] })
    const ids = await Promise.all(Array.from({ length: 20 }, () => run(workflowId)))
    for (const id of ids) assert.equal((await read(id)).status, 'completed')
    assert.equal(await epoch(), before + 1)
  })

  it('may be trusted to have lost nothing', async () => {
    // All processes must trust; otherwise one that does not may find the epoch first.
    await using trusting = await startTestApp({ env: { MUSTER_PROMOTION: 'trust' } })
    await promote(trusting)
    await using _ = await trusting.startAnother('worker')
    const found = await diagnose(trusting.database)
    assert.deepEqual([found.epochs.at(-1)?.reason, found.deliveries_held], ['promoted', false])
  })
})
