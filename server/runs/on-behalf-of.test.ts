import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { actOnce, clerkFixture, write } from '../../test/clerk.ts'
import { codeOf, type Answer, type Person } from '../../test/api-client.ts'
import { prepare } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import { until } from '../../rig/until.ts'

/** With four eyes, nobody approves the actions of a run that they brought about in another way. */
const intervals = { hooksMs: 20, schedulesMs: 20, batchesMs: 20 }
const { app, createWorkflow } = clerkFixture({ intervals }, [])
let ann: Person
let bob: Person
let cleo: Person
let dora: Person
prepare(async () => {
  ann = await app.join('Ann', 'member')
  bob = await app.join('Bob', 'approver')
  cleo = await app.join('Cleo', 'admin')
  dora = await app.join('Dora', 'member')
  await app.patch('/v1/policies', { four_eyes: true })
  app.answer = actOnce(write('hello'))
})

const send = async (person: Person, method: string, path: string, body?: object) => {
  const answer = await person.call(method, path, body)
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body.data
}

/** The newest run of a workflow, once it waits for an approval. */
async function waitingRun(workflowId: string, not?: string): Promise<Answer['body']> {
  let run: Answer['body']
  await until('a run waits for an approval', 20_000, async () => {
    ;[run] = await app.get(`/v1/runs?workflow_id=${workflowId}&status=waiting_input`)
    return run !== undefined && run.id !== not
  })
  return run
}

/** The run names these people, refuses their approval, and takes Bob's. */
async function isOnBehalfOf(run: Answer['body'], people: Person[]): Promise<void> {
  const { on_behalf_of: behind = [], ...by } = run.triggered_by
  const named = pluck([...(by.type === 'user' ? [by] : []), ...behind], 'name')
  const names = people.map(({ name }) => name)
  assert.deepEqual(new Set(named), new Set(names))
  const path = `/v1/runs/${run.id}/respond`
  for (const person of people) {
    assert.deepEqual(codeOf(await person.call('POST', path, { action: 'approve' })), [
      403,
      'four_eyes',
    ])
  }
  const [entry] = await app.get(`/v1/audit?object_id=${run.id}`)
  assert.deepEqual(pluck(entry.after.on_behalf_of ?? [], 'name'), pluck(behind, 'name'))
  assert.equal((await bob.call('POST', path, { action: 'approve' })).status, 202)
  assert.equal((await app.rest(run.id)).status, 'completed')
}

describe('four eyes', () => {
  it('are of who created a hook, changed it last, and sent the event again', async () => {
    const workflow_id = await createWorkflow()
    const fields = { workflow_id, scheme: 'none' }
    const hook = await send(ann, 'POST', '/v1/hooks', fields)
    const headers = { 'content-type': 'application/json' }
    await fetch(hook.url, { method: 'POST', headers, body: '{"a":1}' })
    await isOnBehalfOf(await waitingRun(workflow_id), [ann])
    await send(cleo, 'PATCH', `/v1/hooks/${hook.id}`, { name: 'Changed' })
    const [delivery] = await app.get(`/v1/hooks/${hook.id}/deliveries`)
    await send(dora, 'POST', `/v1/hooks/${hook.id}/deliveries/${delivery.id}/send-again`)
    await isOnBehalfOf(await waitingRun(workflow_id), [ann, cleo, dora])
  })

  it('are of who created a schedule, changed it last, and asked for a run', async () => {
    const workflow_id = await createWorkflow()
    const past = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 90 * 60_000)
    const cron = `${past.getUTCMinutes()} * * * *`
    const fields = { workflow_id, cron, input: 'go', overlap: 'allow' }
    const { id } = await send(ann, 'POST', '/v1/schedules', fields)
    await app.sql`
      update schedules set next_due_at = date_trunc('minute', now()), next_start_at = now() where id = ${id}`
    await isOnBehalfOf(await waitingRun(workflow_id), [ann])
    await send(cleo, 'PATCH', `/v1/schedules/${id}`, { status: 'paused' })
    await send(dora, 'POST', `/v1/schedules/${id}/trigger`)
    await isOnBehalfOf(await waitingRun(workflow_id), [dora, ann, cleo])
    await send(dora, 'POST', `/v1/schedules/${id}/backfill`, { from: past, to: past })
    await isOnBehalfOf(await waitingRun(workflow_id), [ann, cleo, dora])
  })

  it('are of who created a batch, and retried its failed items', async () => {
    const workflow_id = await createWorkflow()
    const works = app.answer
    app.answer = (_, response) => response.writeHead(400).end('{}')
    const batch = await send(ann, 'POST', `/v1/workflows/${workflow_id}/batches`, {
      items: [{ input: 'go' }],
    })
    const isOver = async () => (await app.get(`/v1/batches/${batch.id}`)).finished_at !== null
    await until('the batch is over', 20_000, isOver)
    app.answer = works
    await send(dora, 'POST', `/v1/batches/${batch.id}/retry-failed`)
    await isOnBehalfOf(await waitingRun(workflow_id), [ann, dora])
  })

  it('remember the people of a run that was retried', async () => {
    const workflow_id = await createWorkflow()
    const works = app.answer
    app.answer = (_, response) => response.writeHead(400).end('{}')
    const { url } = await send(ann, 'POST', '/v1/hooks', { workflow_id, scheme: 'none' })
    const headers = { 'content-type': 'application/json' }
    await fetch(url, { method: 'POST', headers, body: '{"a":1}' })
    let failed: Answer['body']
    await until('the run has failed', 20_000, async () => {
      ;[failed] = await app.get(`/v1/runs?workflow_id=${workflow_id}&status=failed`)
      return failed !== undefined
    })
    app.answer = works
    await send(cleo, 'POST', `/v1/runs/${failed.id}/retry`)
    const run = await waitingRun(workflow_id)
    const path = `/v1/runs/${run.id}/respond`
    for (const person of [ann, cleo]) {
      const answer = await person.call('POST', path, { action: 'approve' })
      assert.deepEqual(codeOf(answer), [403, 'four_eyes'])
    }
  })

  it('know who made what is older than the version, as far as the audit log reaches', async () => {
    const workflow_id = await createWorkflow()
    const hook = await send(ann, 'POST', '/v1/hooks', { workflow_id, scheme: 'github' })
    await send(cleo, 'POST', `/v1/hooks/${hook.id}/rotate-secret`, {})
    const fields = { workflow_id, cron: '* * * * *', input: 'go', status: 'paused' }
    const schedule = await send(dora, 'POST', '/v1/schedules', fields)
    const before = () => app.sql`
      select authors from hooks where id = ${hook.id}
      union all select authors from schedules where id = ${schedule.id}`
    const known = await before()
    assert.equal(known[0].authors.editor.name, 'Cleo')
    await app.sql`update hooks set authors = null`
    await app.sql`update schedules set authors = null`
    const file = new URL('../db/migrations/0056_on_behalf_of.sql', import.meta.url)
    const [, backfill = ''] = (await readFile(file, 'utf8')).split(
      '-- As far as the audit log reaches.',
    )
    await sql.raw(backfill).execute(app.database)
    assert.deepEqual(await before(), known)
  })
})
