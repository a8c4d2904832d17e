import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { callTools, complete } from '../../test/test-app.ts'
import { setScene } from './scene.ts'
import type { World } from './world.ts'

const { it } = setScene()

/** A workflow that posts to Slack, which is not connected, and its paused schedule. */
async function createReport({ muster, scripts }: World) {
  scripts.set('post the report', (request, response) => {
    if (request.messages.at(-1)?.role === 'tool') return complete(response, 'I posted it.')
    callTools(response, [{ name: 'slack__post_message', arguments: { channel: '#a', text: 'x' } }])
  })
  const { id: workflow_id } = await muster.workflows.create({
    name: 'Weekly report',
    human_in_the_loop: { enabled: true, approvals: 'never' },
    crew: [
      {
        role: 'writer',
        systemPrompt: 'post the report',
        connectors: ['slack'],
        capabilities: ['slack.post_message'],
      },
    ],
  })
  const due = { cron: '0 9 * * 1', status: 'paused' as const }
  const input = 'Report on OWNER/REPOSITORY'
  return muster.schedules.create({ workflow_id, name: 'Weekly report', input, ...due })
}

describe('a run whose action was not made', () => {
  it('is completed with warnings wherever it is shown, and its causes are listed before', async (given) => {
    const { page, person, muster, app } = given
    const { id, workflow_id: workflowId } = await createReport(given)
    await page.goto(`/schedules/${id}`)
    const needs = page.getByRole('region', { name: 'To do before you activate it' })
    await needs.getByText("Replace OWNER/REPOSITORY in the schedule's input").waitFor()
    await needs.getByText('Slack is not connected').waitFor()
    await person.findsItAccessible()
    await person.press('Run now')
    const history = page.getByRole('list', { name: 'History' })
    await history.getByRole('link', { name: 'Run: With warnings' }).click()

    await page.getByText('Completed with warnings').waitFor()
    const warnings = page.getByRole('region', { name: 'Warnings' })
    await warnings.getByText('Not everything was done').waitFor()
    await warnings.getByText(/slack\.post_message was not made: Slack is not connected/).waitFor()
    await person.findsItAccessible()

    await app.run(await app.createWorkflow({ name: 'Fine' }))
    await page.goto('/runs')
    const list = page.getByRole('list', { name: 'Runs' })
    await list.getByText(/slack\.post_message was not made/).waitFor()
    await person.press('With warnings')
    await list.getByText('With warnings').waitFor()
    assert.equal(await list.getByRole('listitem').count(), 1)
    await page.reload()
    await list.getByText('With warnings').waitFor()
    await page.goto('/')
    await page.getByText('With warnings').first().waitFor()

    await page.goto(`/workflows/${workflowId}`)
    const ofWorkflow = page.getByRole('region', { name: 'Not ready to run' })
    await ofWorkflow.getByRole('link', { name: 'Connectors' }).waitFor()
    await muster.connectors.connect('slack', { token: 'xoxb-1' })
    await muster.schedules.update(id, { input: 'Report on acme/pumps' })
    await page.goto(`/schedules/${id}`)
    await page.getByText('Report on acme/pumps').waitFor()
    assert.equal(await needs.count(), 0)
  })
})
