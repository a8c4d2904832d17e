import { describe } from 'node:test'
import { setScene } from './scene.ts'

const { it } = setScene()

describe('help', () => {
  it('is one link away from an empty list', async ({ page }) => {
    await page.goto('/budgets')
    await page.getByText('No budgets yet').waitFor()
    await page.getByRole('link', { name: 'About budgets' }).press('Enter')
    await page.getByRole('heading', { name: 'Budgets', level: 1 }).waitFor()
  })

  it('opens beside a dialog, which keeps what was typed', async ({ page, context, press }) => {
    await page.goto('/schedules')
    await press('New schedule')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Mondays')
    const opened = context.waitForEvent('page')
    await dialog.getByRole('link', { name: 'About schedules (new tab)' }).press('Enter')
    const beside = await opened
    await beside.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor()
    await beside.close()
    await dialog.getByLabel('Name').and(page.locator('[value="Mondays"]')).waitFor()
  })
})
