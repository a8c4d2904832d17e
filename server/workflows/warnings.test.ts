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
