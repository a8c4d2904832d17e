import assert from 'node:assert/strict'
import { it } from 'node:test'
import { clerkFixture } from '../../test/clerk.ts'

const { app, createWorkflow } = clerkFixture()

it('a workflow says which actions of its agents will be refused, for as long as they are', async () => {
  const id = await createWorkflow({ enabled: false })
  const message =
    'crew[0] (clerk): sink.write will be refused, as an approval is needed and human_in_the_loop.enabled is false'
  const warnings = [{ code: 'action_refused', message }]
  assert.deepEqual((await app.get(`/v1/workflows/${id}`)).warnings, warnings)
  const [listed] = await app.get('/v1/workflows')
  assert.deepEqual(listed.warnings, warnings)
  const asking = await app.patch(`/v1/workflows/${id}`, { human_in_the_loop: { enabled: true } })
  assert.deepEqual(asking.warnings, [])
  const unattended = { enabled: false, approvals: 'never' }
  const never = await app.patch(`/v1/workflows/${id}`, { human_in_the_loop: unattended })
  assert.deepEqual(never.warnings, [])
  await app.patch('/v1/policies', { approvals_floor: 'sensitive' })
  assert.deepEqual((await app.get(`/v1/workflows/${id}`)).warnings, warnings)
})

it('the warning takes rules into account', async () => {
  await app.patch('/v1/policies', { approvals_floor: 'none' })
  const id = await createWorkflow({ enabled: false })
  const codesWith = async (...rules: object[]): Promise<string[]> => {
    await app.patch('/v1/policies', { rules })
    const { warnings } = await app.get(`/v1/workflows/${id}`)
    return warnings.map(({ code }: { code: string }) => code)
  }
  const rule = { action: 'sink.write', decision: 'allow', when: 'args.text == "x"' }
  assert.deepEqual(await codesWith(), ['action_refused'])
  assert.deepEqual(await codesWith(rule), [])
  assert.deepEqual(await codesWith({ ...rule, action: 'sink.read' }), ['action_refused'])
  assert.deepEqual(await codesWith({ ...rule, expires_at: '2026-01-01T00:00:00Z' }), [
    'action_refused',
  ])
  assert.deepEqual(await codesWith({ ...rule, decision: 'ask', when: null }), ['action_refused'])
  assert.deepEqual(await codesWith({ ...rule, decision: 'block', when: null }), [])
  await app.patch(`/v1/workflows/${id}`, {
    human_in_the_loop: { enabled: false, approvals: 'never' },
  })
  assert.deepEqual(await codesWith(), [])
  assert.deepEqual(await codesWith({ ...rule, decision: 'ask', when: null }), ['action_refused'])
})

it('a workflow and its schedule say what they need until they have it', async () => {
  const crew = [
    {
      role: 'writer',
      systemPrompt: 'post',
      connectors: ['slack', 'sink'],
      capabilities: ['slack.post_message', 'sink.read'],
      rules: [{ action: 'slack.post_message', decision: 'ask', fixed: { channel: '#CHANNEL' } }],
    },
  ]
  const id = await app.createWorkflow({ crew, human_in_the_loop: { enabled: true } })
  await app.call('DELETE', '/v1/connectors/sink')
  const schedule = await app.post('/v1/schedules', {
    workflow_id: id,
    cron: '0 9 * * 1',
    input: 'Report on OWNER/REPOSITORY',
    status: 'paused',
  })
  const needs = async (path: string): Promise<string[]> => {
    const { warnings } = await app.get(path)
    return warnings.map(({ code, message }: Record<string, string>) => `${code}: ${message}`)
  }
  const channel = 'placeholder_left: Replace #CHANNEL in the crew'
  const slack =
    'action_unavailable: Slack is not connected: an admin must connect it first (slack.post_message)'
  const gone =
    'action_unavailable: sink is not connected: an admin must connect it first (sink.read)'
  assert.deepEqual(await needs(`/v1/workflows/${id}`), [channel, slack, gone])
  const repository = "placeholder_left: Replace OWNER/REPOSITORY in the schedule's input"
  const ofSchedule = `/v1/schedules/${schedule.id}`
  assert.deepEqual(await needs(ofSchedule), [repository, channel, slack, gone])
  const [listed] = await app.get('/v1/schedules')
  assert.deepEqual(listed.warnings, schedule.warnings)

  await app.put('/v1/connectors/slack', { token: 'xoxb-1' })
  await app.patch(ofSchedule, { input: 'Report on acme/pumps' })
  const [entry] = crew
  await app.patch(`/v1/workflows/${id}`, {
    crew: [{ ...entry, connectors: ['slack'], capabilities: ['slack.post_message'], rules: [] }],
  })
  assert.deepEqual(await needs(ofSchedule), [])
})
