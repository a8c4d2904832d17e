import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { setScene } from './world.ts'

const scene = setScene()

describe('usage', () => {
  it('says so where nothing ended, and shows its failure where it cannot be read', async () => {
    await using person = await scene.sit()
    const { page } = person
    await page.goto('/usage')
    await page.getByText('Nothing ended in this time').waitFor()
    await person.findsItAccessible()
    const refused = { error: { type: 'internal', code: 'internal', message: 'No sums today.' } }
    await page.route('**/v1/usage?**', (route) => route.fulfill({ status: 500, json: refused }))
    await page.reload()
    await page.getByText('No sums today.').waitFor()
    person.sawNoFault()
  })

  it('is shown by day, workflow, agent, model and tag, and read again when a run ends', async () => {
    const { muster, start } = scene.world
    const said = await start('say Done.', { name: 'Night report' })
    await said.rests()
    await using person = await scene.sit()
    const { page } = person
    await page.goto('/usage')
    const byWorkflow = page.getByRole('region', { name: 'By workflow' })
    await byWorkflow.getByRole('row', { name: /^Night report .* 1 0 0 2 / }).waitFor()
    await page.getByRole('img', { name: /Cost by day/ }).waitFor()
    await page.getByRole('region', { name: 'By agent' }).getByRole('row').nth(1).waitFor()
    await page.getByRole('region', { name: 'By day' }).getByRole('row').nth(1).waitFor()

    const body = { input: 'again', tags: { customer: 'kolb' } }
    await muster.runs.wait((await muster.runs.create(said.workflowId, body)).id)
    await byWorkflow.getByRole('row', { name: /^Night report .* 2 0 0 4 / }).waitFor()
    await page.getByLabel('Key of the tag').fill('customer')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.waitForURL(/tag=customer/)
    const byTag = page.getByRole('region', { name: 'Tag customer' })
    await byTag.getByRole('row', { name: /^kolb .* 1 0 0 2 / }).waitFor()

    await page.getByLabel('Time').selectOption('7')
    await page.waitForURL(/days=7/)
    await page.reload()
    await byTag.getByRole('row', { name: /^kolb/ }).waitFor()
    assert.equal(await page.getByLabel('Time').inputValue(), '7')

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV by tag customer' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^usage-by-tag-customer-since-\d{4}-\d\d-\d\d\.csv$/)
    assert.match(await readFile(await download.path(), 'utf8'), /^tag,runs,[^]*\r\nkolb,1,/)

    await byWorkflow.getByRole('link', { name: 'Night report' }).click()
    await page.getByRole('heading', { name: 'Night report', level: 1 }).waitFor()
    await page.goBack()
    await byTag.getByRole('row', { name: /^kolb/ }).waitFor()
    person.sawNoFault()
  })

  it('names models without a price', async () => {
    const { app } = scene.world
    await sql`
      insert into usage_deltas (account_id, day, workflow_id, model, completed, failed, cancelled, steps,
                                tokens_in, tokens_out, cost_usd)
      select id, current_date, 'wf_gone', 'gone/model', 0, 0, 0, 1, 10, 5, 0 from accounts`.execute(
      app.database,
    )
    await using person = await scene.sit()
    await person.page.goto('/usage')
    await person.page.getByText('No price is known for gone/model').waitFor()
    await person.page.getByText('wf_gone (deleted)').waitFor()
    await person.findsItAccessible()
    person.sawNoFault()
  })
})
