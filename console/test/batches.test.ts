import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setScene } from './scene.ts'

const { it } = setScene()

describe('batches', () => {
  it('start from a table, tell the cost before, show progress and give the results', async (given) => {
    const { page, person, muster, press } = given
    const workflow = await muster.workflows.create({ name: 'Letters' })
    await page.goto('/batches')
    await page.getByText('No batches yet').waitFor()
    await press('New batch')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Workflow').selectOption({ label: 'Letters' })
    const table = 'id,name\nfirst,Ada\nsecond,Grace\n'
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(table) }
    await dialog.locator('input[type=file]').setInputFiles(file)
    await dialog.getByText('Each line becomes a run').waitFor()
    await dialog.getByLabel('Key column').fill('number')
    await press('Estimate cost')
    await dialog.getByText('there is no column number').waitFor()
    await dialog.getByLabel('Key column').fill('id')
    await dialog.getByLabel('Name').fill('Invitations')
    await press('Estimate cost')
    await dialog.getByText('2 items: no run of this workflow has completed yet').waitFor()
    await person.findsItAccessible()
    await press('Start batch')
    await page.getByRole('heading', { name: 'Invitations' }).waitFor()
    await page.getByRole('progressbar').waitFor()
    const items = page.getByRole('list', { name: 'Items' }).getByRole('listitem')
    await items.getByText('second').waitFor()
    const [batch] = await muster.batches.list()
    const ended = await muster.batches.wait(batch?.id ?? '')
    assert.equal(ended.total, 2)
    await page
      .getByText(/^Completed/)
      .first()
      .waitFor()
    await person.findsItAccessible()
    const saving = page.waitForEvent('download')
    await press('CSV')
    assert.match((await saving).suggestedFilename(), /\.csv$/)
    await page.goto('/batches')
    await page.getByText('2 of 2').waitFor()
    await muster.workflows.delete(workflow.id)
  })

  it('take files, are held and cancelled', async ({ page, muster, press }) => {
    const workflow = await muster.workflows.create({ name: 'Papers' })
    await muster.workflows.update(workflow.id, { status: 'paused' })
    await page.goto('/batches')
    await press('New batch')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Workflow').selectOption({ label: 'Papers' })
    const files = ['a.md', 'b.md'].map((name) => ({
      name,
      mimeType: 'text/markdown',
      buffer: Buffer.from(`# ${name}`),
    }))
    await dialog.locator('input[type=file]').setInputFiles(files)
    await dialog.getByText('Each file becomes a run').waitFor()
    await dialog.getByLabel('Task').fill('Sum it up.')
    await press('Start batch')
    await page.getByText('the workflow is paused').waitFor()
    await press('Cancel')
    await press('Cancel batch')
    await page.getByText('Cancelled').first().waitFor()
  })
})

describe('budgets', () => {
  it('are created, shown with their window, changed and deleted', async (given) => {
    const { page, person, muster, press } = given
    await page.goto('/budgets')
    await page.getByText('No budgets yet').waitFor()
    await press('New budget')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('This month')
    await dialog.getByLabel('Time zone').fill('Mars')
    await dialog.getByLabel('Cap (USD)').fill('50')
    await press('Create budget')
    await dialog.getByText('expected an IANA name').waitFor()
    await dialog.getByLabel('Time zone').fill('Europe/Berlin')
    await person.findsItAccessible()
    await press('Create budget')
    await page.getByRole('meter', { name: 'Spent of This month' }).waitFor()
    await page.getByText('All calls, every month (Europe/Berlin) · runs wait at the cap').waitFor()
    await person.findsItAccessible()
    await press('Change')
    await dialog.getByLabel('Cap (USD)').fill('75.5')
    await dialog.getByLabel('At the cap').selectOption('Runs fail')
    await press('Save')
    await page.getByText('runs fail at the cap').waitFor()
    await press('Change')
    await dialog.getByLabel('Name').fill('This month, a long name for all that customers may spend')
    await dialog.getByLabel('At the cap').selectOption('Runs ask for approval')
    await press('Save')
    await page.getByText('runs ask at the cap').waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    const panel = page.getByRole('list', { name: 'Budgets' })
    assert.ok(await panel.evaluate((list) => list.scrollWidth <= list.clientWidth))
    const [budget] = await muster.budgets.list()
    assert.deepEqual([budget?.cap_usd, budget?.thresholds], [75.5, [0.5, 0.8]])
    await press('Delete')
    await press('Delete budget')
    await page.getByText('No budgets yet').waitFor()
  })
})
