import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { sql } from 'kysely'
import { setScene } from './scene.ts'

const { it } = setScene()

describe('usage', () => {
  it('says so where nothing ended, and shows its failure where it cannot be read', async (given) => {
    const { page, person } = given
    await page.goto('/usage')
    await page.getByText('Nothing ended in this time').waitFor()
    await person.findsItAccessible()
    const refused = { error: { type: 'internal', code: 'internal', message: 'No sums today.' } }
    await page.route('**/v1/usage?**', (route) => route.fulfill({ status: 500, json: refused }))
    await page.reload()
    await page.getByText('No sums today.').waitFor()
  })

  it('is shown by day, workflow, agent, model and tag, and read again when a run ends', async (given) => {
    const { page, person, start, run } = given
    const said = await start('say Done.', { name: 'Night report' })
    await page.goto('/usage')
    const byWorkflow = page.getByRole('region', { name: 'By workflow' })
    await byWorkflow.getByRole('row', { name: /^Night report .* 1 0 0 2 / }).waitFor()
    await page.getByRole('img', { name: /Cost by day/ }).waitFor()
    await page.getByRole('region', { name: 'By agent' }).getByRole('row').nth(1).waitFor()
    await page.getByRole('region', { name: 'By day' }).getByRole('row').nth(1).waitFor()

    const body = { input: 'again', tags: { customer: 'kolb' } }
    await run(said.workflowId, body)
    await byWorkflow.getByRole('row', { name: /^Night report .* 2 0 0 4 / }).waitFor()
    await page.getByLabel('Key of the tag').fill('customer')
    await person.press('Show')
    await page.waitForURL(/tag=customer/)
    const byTag = page.getByRole('region', { name: 'Tag customer' })
    await byTag.getByRole('row', { name: /^kolb .* 1 0 0 2 / }).waitFor()

    await page.getByLabel('Time').selectOption('7')
    await page.waitForURL(/days=7/)
    await page.reload()
    await byTag.getByRole('row', { name: /^kolb/ }).waitFor()
    assert.equal(await page.getByLabel('Time').inputValue(), '7')

    const { name, text } = await person.download('CSV by tag customer')
    assert.match(name, /^usage-by-tag-customer-since-\d{4}-\d\d-\d\d\.csv$/)
    assert.match(text, /^tag,runs,[^]*\r\nkolb,1,/)

    await byWorkflow.getByRole('link', { name: 'Night report' }).click()
    await page.getByRole('heading', { name: 'Night report', level: 1 }).waitFor()
    await page.goBack()
    await byTag.getByRole('row', { name: /^kolb/ }).waitFor()
  })

  it('names models without a price', async ({ page, person, app, muster }) => {
    const { id } = await muster.account.retrieve()
    await sql`
      insert into usage_deltas (account_id, day, workflow_id, model, completed, failed, cancelled, steps,
                                tokens_in, tokens_out, cost_usd)
      values (${id}, current_date, 'wf_gone', 'gone/model', 0, 0, 0, 1, 10, 5, 0)`.execute(
      app.database,
    )
    await page.goto('/usage')
    await page.getByText('No price is known for gone/model').waitFor()
    await page.getByText('wf_gone (deleted)').waitFor()
    await person.findsItAccessible()
  })
})
