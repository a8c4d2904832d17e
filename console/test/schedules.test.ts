import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { repeats } from '../screens/schedules/timing.ts'
import { setScene } from './scene.ts'

const { it } = setScene()

describe('schedules', () => {
  it('are created in words, fired by hand, paused, changed and deleted', async (given) => {
    const { page, person, muster, press } = given
    const workflow = await muster.workflows.create({ name: 'Weekly report' })
    await page.goto('/schedules')
    await page.getByText('No schedules yet').waitFor()
    await press('New schedule')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Workflow').selectOption({ label: 'Weekly report' })
    for (const value of [...Object.keys(repeats), 'weekly']) {
      await dialog.getByLabel('Repeats').selectOption(value)
      const { scrollWidth, clientWidth } = await dialog.evaluate(
        ({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }),
      )
      assert.equal(scrollWidth, clientWidth, `the dialog scrolls sideways: ${value}`)
    }
    await dialog.getByLabel('Day').selectOption('Monday')
    await dialog.getByLabel('Time', { exact: true }).fill('08:30')
    await dialog.getByLabel('Time zone').selectOption('Europe/Berlin')
    await dialog.getByText('Every Monday at 08:30 (Europe/Berlin)').waitFor()
    await dialog.getByLabel('Task').fill('Report on the week before {{ scheduled_at }}.')
    await person.findsItAccessible()
    await press('Create schedule')
    await page.getByRole('heading', { name: 'Weekly report' }).waitFor()
    const next = page.getByRole('list', { name: 'Next' }).getByRole('listitem')
    await next.first().waitFor()
    assert.equal(await next.count(), 10)
    assert.match(await next.first().innerText(), /^Mon.* 08:30$/)
    await person.findsItAccessible()

    await press('Run now')
    const history = page.getByRole('list', { name: 'History' }).getByRole('listitem')
    await history.getByText('Fired').waitFor()
    await history.getByText('started by hand').waitFor()
    await history.getByRole('link', { name: /^Run/ }).waitFor()
    await press('Pause')
    await page.getByText('Paused', { exact: true }).waitFor()
    await press('Activate')
    await page.getByText('Active', { exact: true }).waitFor()

    await press('Change')
    await dialog.getByLabel('Repeats').selectOption('Cron pattern')
    await dialog.getByLabel('Pattern').fill('0 25 * * *')
    await dialog.getByText('Invalid value for hour: 25').waitFor()
    await dialog.getByLabel('Pattern').fill('*/15 9-17 * * 1-5')
    await dialog.getByText('Every 15 minutes').waitFor()
    await press('Save')
    await dialog.waitFor({ state: 'detached' })
    const [stored] = await muster.schedules.list()
    assert.equal(stored?.cron, '*/15 9-17 * * 1-5')
    assert.equal(stored.workflow_id, workflow.id)

    await press('Delete')
    await press('Delete it')
    await page.getByText('No schedules yet').waitFor()
  })

  it('come with a template, paused, to be looked at first', async ({ page, person, muster }) => {
    await page.goto('/workflows')
    await page.getByRole('link', { name: 'Templates' }).first().click()
    const cards = page.getByRole('list', { name: 'Templates' }).getByRole('listitem')
    await cards.first().waitFor()
    assert.equal(await cards.count(), 6)
    await person.findsItAccessible()
    const use = (name: string) => cards.filter({ hasText: name }).getByRole('button').click()
    await use('Weekly report to Slack')
    await page.getByRole('heading', { name: 'Weekly report' }).waitFor()
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByText('api.github.com/repos/OWNER/REPOSITORY').waitFor()
    const [schedule] = await muster.schedules.list()
    const workflow = await muster.workflows.retrieve(schedule?.workflow_id ?? '')
    assert.equal(workflow.name, 'Weekly report to Slack')
    await muster.schedules.delete(schedule?.id ?? '')
    await page.goto('/templates')
    await use('Research with cited pages')
    await page.getByRole('heading', { name: 'Research with sources' }).waitFor()
  })

  it('say why a moment was skipped or missed', async ({ page, app, muster }) => {
    const { id: workflow_id } = await muster.workflows.create({ name: 'Nightly check' })
    const body = { workflow_id, every_seconds: 3_600, input: 'check' }
    const { id } = await muster.schedules.create(body)
    await app.sql`
      insert into schedule_firings (account_id, id, schedule_id, number, kind, due_at, status, why, settled_at)
      select account_id, 'fir_1', id, 1, 'scheduled', now() - interval '1 hour', 'missed',
             'No worker ran in time', now() from schedules where id = ${id}`
    await page.goto('/')
    await page.getByText('Next: Nightly check').waitFor()
    await page.getByText('1 schedule missed').waitFor()
    await page.goto('/schedules')
    const row = page.getByRole('list', { name: 'Schedules' }).getByRole('link')
    await row.getByText('Missed').waitFor()
    await row.click()
    await page.getByText('No worker ran in time').waitFor()
    await page.getByLabel('Status of the firings').selectOption('Fired')
    await page.getByText('No matching firings').waitFor()
  })

  it('that kept failing say so', async ({ page, app, muster }) => {
    const { id: workflow_id } = await muster.workflows.create({ name: 'Fails' })
    const body = { workflow_id, every_seconds: 3_600, input: 'check' }
    const { id } = await muster.schedules.create(body)
    await app.sql`
      update schedules set status = 'paused', paused_reason = '3 runs in a row failed',
        next_due_at = null, next_start_at = null where id = ${id}`
    await page.goto(`/schedules/${id}`)
    await page.getByText('Paused: 3 runs in a row failed').waitFor()
  })
})
