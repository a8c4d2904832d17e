import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../rig/until.ts'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { slackToken, startSlackServer } from '../../rig/slack-server.ts'
import { chatWire } from '../../server/models/test-provider-wire.ts'
import { laneStack } from '../../test/lanes/shared.ts'
import { callTools, complete } from '../../test/test-app.ts'
import { setScene } from './scene.ts'

const slack = laneStack.use(await startSlackServer())
const { it } = setScene({
  isNew: true,
  env: { SLACK_BASE_URL: slack.url, MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8' },
})

/** Counts what a person clicks or chooses from a list, and no typing. */
const counter = `{
  const count = () => sessionStorage.setItem('clicks', 1 + Number(sessionStorage.getItem('clicks')))
  addEventListener('click', (event) => event.isTrusted && event.detail > 0 && count(), true)
  addEventListener('change', (event) => event.isTrusted && event.target.localName === 'select' && count(), true)
}`
const mostClicks = 12

/** Opens Home, where each job begins. */
async function begin(page: Page): Promise<void> {
  await page.addInitScript(counter)
  await page.goto('/')
}

async function assertFewClicks(page: Page, back = 0): Promise<void> {
  const clicks = Number(await page.evaluate('sessionStorage.getItem("clicks")')) + back
  assert.ok(clicks <= mostClicks, `${clicks} clicks`)
}

const go = (page: Page, name: string) =>
  page
    .getByRole('navigation')
    .getByRole('link', { name: new RegExp(`^${name}\\b`) })
    .first()
    .click()

describe('jobs of the first hour, by the console alone', () => {
  it('a weekly report to Slack', async ({ page, scripts, muster }) => {
    await begin(page)
    await go(page, 'Workflows')
    await page.getByRole('main').getByRole('link', { name: 'Templates' }).first().click()
    const card = page.getByRole('listitem').filter({ hasText: 'Weekly report to Slack' })
    await card.getByLabel('In place of OWNER/REPOSITORY').fill('example/pumps')
    await card.getByLabel('In place of #CHANNEL').fill('#weekly')
    await card.getByRole('button').click()
    await page.getByText('api.github.com/repos/example/pumps').waitFor()
    const workflow = (await muster.workflows.list()).find(
      ({ name }) => name === 'Weekly report to Slack',
    )
    for (const { systemPrompt: prompt = '', role } of workflow?.crew ?? []) {
      scripts.set(prompt, (request, response) =>
        role === 'reader' || request.messages.at(-1)?.role === 'tool'
          ? complete(response, 'The pump of line 4 runs.')
          : callTools(response, [
              { name: 'slack__post_message', arguments: { text: 'The pump of line 4 runs.' } },
            ]),
      )
    }
    const needs = page.getByRole('region', { name: 'To do before you activate it' })
    await needs.getByRole('link', { name: 'Connectors' }).click()
    const connector = page.getByRole('region', { name: 'Slack' })
    await connector.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('dialog').getByLabel('Token').fill(slackToken)
    await page.getByRole('dialog').getByRole('button', { name: 'Connect' }).click()
    await connector.getByText(/Working|Ready/).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Run now' }).click()
    await go(page, 'Inbox')
    await page.getByRole('article').getByText('#weekly', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('You approved this').waitFor()
    await until('the report is posted', 15_000, () => slack.messages.length === 1)
    assert.equal(slack.messages[0]?.text, 'The pump of line 4 runs.')
    await assertFewClicks(page, 1)
  })

  it('messages that are sorted, and a reply that is approved', async ({
    page,
    scripts,
    muster,
    mail,
  }) => {
    await begin(page)
    await go(page, 'Workflows')
    await page.getByRole('main').getByRole('link', { name: 'Templates' }).first().click()
    const card = page.getByRole('listitem').filter({ hasText: 'Triage email' })
    await card.getByRole('button').click()
    await page.waitForURL(/workflows\/wf_/)
    const workflow = (await muster.workflows.list()).find(({ name }) => name === 'Email triage')
    for (const { systemPrompt: prompt = '', role } of workflow?.crew ?? []) {
      const reply = { to: 'ada@example.com', subject: 'Re: Late', text: 'It comes on Friday.' }
      scripts.set(prompt, (request, response) =>
        role === 'sorter'
          ? complete(response, '{"category":"complaint","urgency":"high","reason":"late"}')
          : request.messages.at(-1)?.role === 'tool'
            ? complete(response, 'Sent.')
            : callTools(response, [{ name: 'email__send', arguments: reply }]),
      )
    }
    await page
      .getByRole('textbox', { name: 'Input' })
      .first()
      .fill('From ada@example.com: it is late!')
    await page.getByRole('button', { name: 'Run and watch' }).click()
    await page
      .getByRole('region', { name: 'Waiting for a person' })
      .getByRole('link')
      .first()
      .click()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('You approved this').waitFor()
    await until('the reply is sent', 15_000, () => mail.mails.at(-1)?.subject === 'Re: Late')
    await assertFewClicks(page)
  })

  it('twenty files to a table and a webhook', async ({ page, scripts, muster }) => {
    await using receiver = await startScriptedServer((response) => send(response, {}))
    await begin(page)
    await go(page, 'Workflows')
    await page.getByRole('main').getByRole('link', { name: 'Templates' }).first().click()
    await page.getByRole('listitem').filter({ hasText: 'PDFs to JSON' }).getByRole('button').click()
    await page.waitForURL(/workflows\/wf_/)
    const workflow = (await muster.workflows.list()).find(({ name }) => name === 'PDFs to JSON')
    for (const { systemPrompt: prompt = '' } of workflow?.crew ?? []) {
      scripts.set(prompt, (_request, response) =>
        complete(response, '{"supplier":"A","number":"1","date":"2026-01-02","total":2}'),
      )
    }
    await go(page, 'Connections')
    await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('button', { name: 'New endpoint' }).first().click()
    const endpoint = page.getByRole('dialog')
    await endpoint.getByLabel('Address').fill(receiver.url)
    await endpoint.getByLabel('batch.completed').click()
    await endpoint.getByRole('button', { name: /^Create/ }).click()
    await page.getByRole('dialog').getByRole('button').last().click()
    await go(page, 'Batches')
    await page.getByRole('button', { name: 'New batch' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Workflow').selectOption({ label: workflow?.name ?? '' })
    const files = Array.from({ length: 20 }, (_, at) => ({
      name: `invoice ${at}.md`,
      mimeType: 'text/markdown',
      buffer: Buffer.from(`# Invoice ${at}`),
    }))
    await dialog.locator('input[type=file]').setInputFiles(files)
    await dialog.getByText('Each file becomes a run').waitFor()
    await dialog.getByRole('button', { name: 'Start batch' }).click()
    await page
      .getByText(/^Completed/)
      .first()
      .waitFor({ timeout: 30_000 })
    await page.getByText('invoice 7.md').first().waitFor()
    await until('the webhook has arrived', 15_000, () =>
      receiver.requests.some(({ body }) => JSON.stringify(body).includes('batch.completed')),
    )
    await assertFewClicks(page)
  })

  it("a model on one's own machine, and a budget that asks", async ({ page, muster }) => {
    await using server = await startScriptedServer((response, call) => {
      if (server.requests[call - 1]?.path.endsWith('/models'))
        return send(response, { data: [{ id: 'small' }] })
      const usage = chatWire.usage(3_000, 2_000)
      send(response, chatWire.whole({ text: 'Own words.', finish: 'stop', usage }))
    })
    await begin(page)
    await go(page, 'Connections')
    await page.getByRole('main').getByRole('link', { name: 'Model providers' }).click()
    await page.getByRole('button', { name: 'Add a server' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Id', { exact: true }).fill('own')
    await dialog.getByLabel('Base URL').fill(server.url)
    await dialog.getByLabel('Models').fill('small')
    await dialog
      .getByLabel(/^Input|^In/)
      .first()
      .fill('1')
    await dialog
      .getByLabel(/^Output|^Out/)
      .first()
      .fill('1')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await page.getByRole('region', { name: 'own' }).getByText('Working', { exact: true }).waitFor()
    await go(page, 'Budgets')
    await page.getByRole('button', { name: 'New budget' }).first().click()
    await dialog.getByLabel('Name').fill('Trial')
    await dialog.getByLabel('Cap (USD)').fill('0.000001')
    await dialog.getByLabel('At the cap').selectOption('Runs ask for approval')
    await dialog.getByRole('button', { name: 'Create budget' }).click()
    await page.getByText('Trial').first().waitFor()
    const { id } = await muster.workflows.create({
      name: 'Own',
      model: 'own/small',
      crew: [{ role: 'writer', systemPrompt: 'Write.' }],
    })
    const { id: runId } = await muster.runs.create(id, { input: 'x' })
    await muster.runs.wait(runId)
    await go(page, 'Inbox')
    await page
      .getByRole('button', { name: /^Approve|^Allow|^Raise/ })
      .first()
      .click()
    await page
      .getByText(/You (approved|raised|allowed)/)
      .first()
      .waitFor()
    assert.equal((await muster.runs.wait(runId)).output, 'Own words.')
    await assertFewClicks(page)
  })
})
