import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../rig/until.ts'
import { setScene } from './scene.ts'

const { it } = setScene()

/** Waits until the address has exactly these parameters. */
const isAt = (page: Page, wanted: string) =>
  page.waitForURL((url) => [...url.searchParams].map((pair) => pair.join('=')).join('&') === wanted)

describe('Back', () => {
  it('undoes each filter that was chosen, one after the other', async (given) => {
    const { page, person, muster, start } = given
    const { id: workflow_id } = await muster.workflows.create({ name: 'Filtered' })
    const schedule = await muster.schedules.create({ workflow_id, input: 'x', cron: '0 9 * * 1' })
    const batch = await muster.batches.create(workflow_id, { items: [{ input: 'a' }] })
    const hook = await muster.hooks.create({ name: 'In', workflow_id, scheme: 'none' })
    const endpoint = await muster.webhooks.create({
      url: 'http://127.0.0.1:9/',
      events: ['run.completed'],
    })
    for (const name of ['First', 'Second']) await start('ask {"question": "Which?"}', { name })
    const choose = (label: string) => () =>
      page.getByRole('combobox', { name: label, exact: true }).press('ArrowDown')
    const pressChip = (name: RegExp) => () => page.getByRole('button', { name }).press('Enter')
    for (const [path, act] of [
      ['/runs', pressChip(/^Failed/)],
      ['/runs', choose('Time')],
      ['/audit', pressChip(/^Activity/)],
      ['/audit', choose('Action')],
      [`/schedules/${schedule.id}`, choose('Status of the firings')],
      [`/batches/${batch.id}`, choose('Status of the items')],
      [`/inbound-hooks/${hook.id}`, choose('Status of the deliveries')],
      [`/webhooks/${endpoint.id}`, choose('Status of the deliveries')],
    ] as const) {
      await page.goto(path)
      await person.seesAll()
      await act()
      await page.waitForURL((url) => url.search !== '')
      await page.goBack()
      await isAt(page, '')
      assert.equal(new URL(page.url()).pathname, path)
    }
  })

  it('undoes typed words all at once, and a filter of the inbox after them', async (given) => {
    const { page, person, start } = given
    for (const name of ['Third', 'Fourth']) await start('ask {"question": "Which?"}', { name })
    await page.goto('/runs')
    await page.goto('/inbox')
    await person.seesAll()
    await page.getByLabel('Find requests').focus()
    await page.keyboard.type('which')
    await isAt(page, 'find=which')
    await page.getByRole('button', { name: 'Filter' }).press('Enter')
    await page.getByRole('combobox', { name: 'Waiting' }).press('ArrowDown')
    await page.waitForURL((url) => url.searchParams.has('age'))
    await page.goBack()
    await isAt(page, 'find=which')
    await until('the field', 5_000, async () =>
      page
        .getByLabel('Find requests')
        .inputValue()
        .then((value) => value === 'which'),
    )
    await page.goBack()
    await page.waitForURL((url) => url.pathname === '/runs')
  })
})
