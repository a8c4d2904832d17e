import { describe } from 'node:test'
import { setScene } from './scene.ts'

const { it } = setScene()

describe('a model without a price', () => {
  it('is named on run, usage and budget until its price is entered', async (given) => {
    const { page, person, muster, app } = given
    const models = [{ id: 'llama3.2:3b' }]
    await muster.model_providers.set('lab', { base_url: app.models.url, api_key: 'x', models })
    const { id } = await muster.workflows.create({
      name: 'Local crew',
      model: 'lab/llama3.2:3b',
      crew: [{ role: 'writer', systemPrompt: 'say Hello.' }],
    })
    const run = await given.run(id, { input: 'x' })
    const budget = { name: 'Small', scope: 'workflow', scope_value: id, window: 'month' } as const
    await muster.budgets.create({ ...budget, cap_usd: 1 })

    await page.goto(`/runs/${run.id}`)
    await page.getByText('price unknown').first().waitFor()
    const other = await given.run(id, { input: 'y' })
    await page.goto(`/runs/${run.id}/compare/${other.id}`)
    const costs = page.getByRole('row', { name: /^Cost/ })
    await costs.getByText('price unknown').nth(1).waitFor()
    await page
      .getByText(/lab\/llama3\.2:3b .*price unknown/)
      .first()
      .waitFor()
    const started = await muster.batches.create(id, { items: [{ key: 'one', input: 'z' }] })
    const batch = await muster.batches.wait(started.id)
    await page.goto(`/batches/${batch.id}`)
    await page.getByText('1 call without a price is not counted.').waitFor()
    await page.getByText('price unknown').nth(1).waitFor()
    await page.goto('/batches')
    await page.getByText('price unknown').waitFor()
    await page.goto('/usage')
    await page.getByText('3 calls without a price are not counted').waitFor()
    await page.goto('/budgets')
    const row = page.getByRole('list', { name: 'Budgets' }).getByRole('listitem')
    await row.getByText('3 calls without a price are not counted').waitFor()
    await row.getByText('lab/llama3.2:3b has no price').waitFor()
    await person.findsItAccessible()
    await row.getByRole('link', { name: 'Enter prices' }).click()

    const card = page.getByRole('region', { name: 'lab' })
    await card.getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('Input price of llama3.2:3b').fill('0.2')
    await page.getByLabel('Output price of llama3.2:3b').fill('0.4')
    await person.findsItAccessible()
    await person.press('Save and test')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const priced = await given.run(id, { input: 'x' })
    await page.goto(`/runs/${priced.id}`)
    await page.getByText('$0.0001').first().waitFor()
    await page.goto('/budgets')
    await row.getByText('3 calls without a price are not counted').waitFor()
    await row.getByText('has no price').waitFor({ state: 'detached' })
  })
})
