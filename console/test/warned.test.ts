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
    await page.getByRole('button', { name: /^With warnings/ }).click()
    await list.getByText('With warnings').waitFor()
    assert.equal(await list.getByRole('listitem').count(), 1)
    await page.reload()
    await list.getByText('With warnings').waitFor()
    await page.goto('/')
    await page.getByText('With warnings').first().waitFor()

    // The same in a batch and among the messages of a mailbox.
    const items = [{ key: 'report', input: 'x' }]
    const batch = await muster.batches.create(workflowId, { items })
    await muster.batches.wait(batch.id)
    await page.goto('/batches')
    await page.getByText('Completed, 1 with warnings').waitFor()
    await page.goto(`/batches/${batch.id}`)
    const listed = page.getByRole('list', { name: 'Items' })
    await listed.getByText('With warnings').waitFor()
    // Without fields of outputs, an item is one row.
    const boxes = await Promise.all(
      [listed.getByText('With warnings'), listed.getByText('report')].map((one) =>
        one.boundingBox(),
      ),
    )
    assert.ok(Math.abs((boxes[0]?.y ?? 0) - (boxes[1]?.y ?? 99)) < 8, JSON.stringify(boxes))
    await page.getByLabel('Status of the items').selectOption('With warnings')
    await listed.getByText('report').waitFor()
    await person.findsItAccessible()
    const server = {
      host: '127.0.0.1',
      port: 9,
      secure: 'none',
      username: 'a',
      password: 'b',
    } as const
    const mailbox = { ...server, name: 'Desk', workflow_id: workflowId, active: false }
    const { id: mailboxId } = await muster.mailboxes.create(mailbox)
    const [item] = await muster.batches.items(batch.id)
    await app.sql`
      insert into mailbox_messages (account_id, id, mailbox_id, message_id, uid, sender, subject, status, run_id)
      select account_id, 'msg_1', id, 'a@b', 1, 'ada@example.com', 'Pumps', 'started', ${item?.run_id ?? ''}
      from mailboxes where id = ${mailboxId}`
    await page.goto('/mailboxes')
    await page.getByText('Messages', { exact: true }).click()
    await page.getByRole('link', { name: 'Run: With warnings' }).waitFor()

    const [newest, previous] = await muster.runs.list(workflowId)
    await page.goto(`/runs/${newest?.id}/compare/${previous?.id}`)
    await page.getByText('With warnings').nth(1).waitFor()

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
