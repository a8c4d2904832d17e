import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { until } from '../../rig/until.ts'
import { setScene } from './scene.ts'

const { it } = setScene({ isNew: true })

describe('home', () => {
  it('keeps its first steps until what the account has shows that each is done', async (given) => {
    const { page, person, muster, press } = given
    await page.goto('/')
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.waitFor()
    await person.findsItAccessible()
    const done = () => steps.getByRole('heading', { name: /^Done: / }).allInnerTexts()
    const before = await done()
    assert.ok(!before.some((text) => text.includes('Run a crew')), String(before))

    await press('Start first run')
    await page.getByText('Completed', { exact: true }).waitFor()
    await page.goto('/')
    await steps.getByRole('heading', { name: 'Done: Run a crew' }).waitFor()
    await page.getByRole('img', { name: /^Runs by day.*: 1 run in the last 14 days/ }).waitFor()
    await person.findsItAccessible()
    const [workflow] = await muster.workflows.list()
    const last = steps.getByRole('heading', { name: /Start runs without the console/ })
    assert.equal(await last.innerText(), 'Start runs without the console')
    assert.equal((await done()).length, 3)
    const schedule = await muster.schedules.create({
      workflow_id: workflow?.id ?? '',
      every_seconds: 86_400,
      input: 'Report.',
    })
    await page.reload()
    await page.getByText(/^Next: /).waitFor()
    await person.seesAll()
    assert.equal(await steps.count(), 0, 'all are done')
    await muster.schedules.delete(schedule.id)
    await page.reload()
    await last.waitFor()
    assert.equal((await done()).length, 3)

    const viewer = await given.sit({ role: 'viewer' })
    await viewer.page.goto('/')
    await viewer.page.getByRole('heading', { name: 'Latest runs' }).waitFor()
    await viewer.seesAll()
    assert.equal(await viewer.page.getByRole('region', { name: 'First steps' }).count(), 0)
  })
})

describe('the page of a workflow', () => {
  it('offers what is missing, and opens each form for this workflow', async (given) => {
    const { page, person, muster, press } = given
    await muster.workflows.create({ name: 'Another', model: 'muster/demo' })
    const { id } = await muster.workflows.create({ name: 'Alone', model: 'muster/demo' })
    await muster.workflows.create({ name: 'Yet another', model: 'muster/demo' })
    await page.goto(`/workflows/${id}`)
    const connected = page.getByRole('region', { name: 'Connected' })
    await connected.getByText('Only started by hand or by a program.').waitFor()
    await connected.getByText('None: its agents only write text.').waitFor()
    await connected.getByText('Requests wait in the inbox, and nobody is notified.').waitFor()
    await connected.getByText('No limit.').waitFor()
    await connected.getByRole('link', { name: 'Connect a tool' }).waitFor()
    await person.findsItAccessible()
    for (const [offer, field] of [
      ['Add a hook', 'Workflow'],
      ['Connect a mailbox', 'Workflow'],
      ['Add a channel', 'Workflows'],
    ] as const) {
      await connected.getByRole('link', { name: offer }).press('Enter')
      const choice = page.getByRole('dialog').getByLabel(field, { exact: true })
      await until(`${offer} has the workflow`, 5_000, async () => {
        return (await choice.inputValue()) === id
      })
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      assert.ok(!page.url().includes('for='), page.url())
      await page.goto(`/workflows/${id}`)
    }

    await connected.getByRole('link', { name: 'Set a budget' }).press('Enter')
    await page.getByLabel('Name', { exact: true }).fill('Of one')
    await page.getByLabel(/Cap/).fill('5')
    await press('Create budget')
    await page.getByRole('list', { name: 'Budgets' }).getByText('Of one').waitFor()
    const [budget] = await muster.budgets.list()
    assert.deepEqual([budget?.scope, budget?.scope_value], ['workflow', id])
    await page.goto(`/workflows/${id}`)
    await connected.getByRole('link', { name: 'Add a schedule' }).press('Enter')
    await page.getByLabel('Task').fill('Report.')
    await press('Create schedule')
    await page.waitForURL(/\/schedules\/sch_/)
    await page.goto(`/workflows/${id}`)
    await connected.getByText('$0 of $5').waitFor()
    await connected.getByText('Every Monday at 09:00').waitFor()
    assert.equal(
      await connected.getByRole('link', { name: /Set a budget|Add a schedule/ }).count(),
      0,
    )
  })

  it('shows its runs and failures by day and its latest runs', async ({ page, muster, person }) => {
    const { id } = await muster.workflows.create({ name: 'Busy', model: 'muster/demo' })
    const run = await muster.runs.create(id, { input: 'A quiet day.' })
    await muster.runs.wait(run.id, { timeoutMs: 20_000 })
    await page.goto(`/workflows/${id}`)
    await page.getByRole('img', { name: /^Runs by day.*: 1 run in .*, 0 failed$/ }).waitFor()
    const latest = page.getByRole('list', { name: 'Latest runs' })
    await latest.getByText('A quiet day.').waitFor()
    assert.equal(await latest.getByRole('listitem').count(), 1)
    await person.findsItAccessible()
  })
})
