import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'
import { startWebhookReceiver } from '../../rig/webhook-receiver.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const app = fixture(() => startTestApp())

const crew = [
  { role: 'planner', systemPrompt: 'plan' },
  { role: 'writer', systemPrompt: 'write' },
]

const createWorkflow = async (fields: object = {}): Promise<string> =>
  await app.createWorkflow({ crew, ...fields })

async function run(workflowId: string) {
  const made = await app.post(`/v1/workflows/${workflowId}/runs`, { input: 'hello' })
  assert.equal(made.status, 'queued')
  assert.equal(made.started_at, null)
  return app.rest(made.id)
}

/**
 * Repeats until a run was started by the statement that created it, which happens when a worker of
 * the process waits for a job.
 */
async function runAtOnce(workflowId: string) {
  for (let tries = 0; tries < 100; tries++) {
    const done = await run(workflowId)
    assert.equal(done.status, 'completed')
    if (done.started_at === done.created_at && (await beganAtOnce(done.id))) return done
  }
  throw new Error('No run began in the statement that made it')
}

/** True when the run's first three events were written in one transaction. */
async function beganAtOnce(runId: string): Promise<boolean> {
  const events = await app.sql`
    select type, created_at from events where run_id = ${runId} order by sequence limit 3`
  const types = ['run.queued', 'run.started', 'step.started']
  assert.deepEqual(pluck(events, 'type'), types)
  return new Set(events.map(({ created_at }) => created_at.getTime())).size === 1
}

describe('a run that begins in the statement that makes it', () => {
  it('is carried like any other, and told of in the same order', async () => {
    await using receiver = await startWebhookReceiver()
    const workflowId = await createWorkflow()
    await runAtOnce(workflowId)
    const hook = { url: receiver.url, events: ['run.started'], workflow_id: workflowId }
    await app.call('POST', '/v1/webhooks', { body: hook })
    const done = await runAtOnce(workflowId)
    assert.equal(done.output, 'echo: echo: hello')
    const roles = pluck(done.steps, 'role')
    assert.deepEqual(roles, ['planner', 'writer'])
    const find = () => receiver.received.find(({ body }) => body.data.id === done.id)
    await receiver.until(() => find() !== undefined)
    const told = find()
    const { status, started_at: startedAt, sequence } = told?.body.data ?? {}
    assert.deepEqual([status, startedAt, sequence], ['running', done.started_at, 2])
  })

  it('executes its workflow as it is now, not as it was known', async () => {
    const workflowId = await createWorkflow()
    await runAtOnce(workflowId)
    const changed = { crew: [{ role: 'editor', systemPrompt: 'edit' }] }
    await app.call('PATCH', `/v1/workflows/${workflowId}`, { body: changed })
    const roles = async () => pluck((await run(workflowId)).steps, 'role')
    assert.deepEqual(await roles(), ['editor'])
    assert.deepEqual((await runAtOnce(workflowId)).steps.length, 1)
  })

  it('is refused where the workflow is paused meanwhile, or its input does not fit any more', async () => {
    const workflowId = await createWorkflow()
    await runAtOnce(workflowId)
    const path = `/v1/workflows/${workflowId}`
    const trigger = () => app.call('POST', `${path}/runs`, { body: { input: 'hello' } })
    await app.call('PATCH', path, { body: { status: 'paused' } })
    assert.equal((await trigger()).status, 409)
    const schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
    await app.call('PATCH', path, { body: { status: 'active', input_schema: schema } })
    assert.equal((await trigger()).status, 400)
  })

  it('leaves to its take what has to be read: memory, and standing agents', async () => {
    const remembering = await createWorkflow()
    await runAtOnce(remembering)
    const memory = { role: 'planner', content: 'hello again' }
    const added = await app.call('POST', `/v1/workflows/${remembering}/memory`, { body: memory })
    assert.equal(added.status, 201)
    const recalled = await run(remembering)
    assert.match(JSON.stringify(app.models.requests.at(-2)), /hello again/)
    assert.equal(await beganAtOnce(recalled.id), false)

    const agent = { name: 'a', role: 'r', systemPrompt: 's' }
    const data = await app.post('/v1/agents', agent)
    const linked = await createWorkflow({ crew: [{ ...crew[0], agentId: data.id }] })
    for (let runs = 0; runs < 3; runs++) {
      assert.equal(await beganAtOnce((await run(linked)).id), false)
    }
    await app.call('PATCH', `/v1/agents/${data.id}`, { body: { status: 'paused' } })
    assert.equal((await run(linked)).error_code, 'agent_paused')
  })
})
