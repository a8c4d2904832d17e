import assert from 'node:assert/strict'
import { it } from 'node:test'
import { actOnce, mailFixture } from '../../../test/clerk.ts'
import { pluck } from '../../../test/pluck.ts'

const { app, mail } = mailFixture()

it('of calls that are approved together, mails alone are counted', async () => {
  await app.patch('/v1/policies', { mails_a_day: 1, sensitive_actions: ['web.fetch'] })
  const letter = { to: 'a@example.org', subject: 's', text: 't' }
  app.answer = actOnce(
    { id: 'm', name: 'email__send', arguments: letter },
    { id: 'v', name: 'web__fetch', arguments: { url: `http://127.0.0.1:${mail.port}/` } },
  )
  const agentId = await app.createAgent({
    connectors: ['email', 'web'],
    capabilities: ['email.send', 'web.fetch'],
  })
  const crew = [{ role: 'clerk', systemPrompt: 'act', agentId }]
  const human_in_the_loop = { enabled: true }
  const { id, pending } = await app.run(await app.createWorkflow({ crew, human_in_the_loop }))
  const decisions = pending.calls.map(({ call_id }: { call_id: string }) => ({
    call_id,
    action: 'approve',
  }))
  await app.post(`/v1/runs/${id}/respond`, { decisions })
  const { steps } = await app.rest(id)
  // No page is where the mail server listens; the call went out all the same.
  assert.deepEqual(pluck(steps[0].tool_calls, 'status'), ['succeeded', 'failed'])
  assert.equal(mail.mails.length, 1)
})
