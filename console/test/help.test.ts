import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'
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

  it('shows pages with their pictures and without the breaks of their source', async (given) => {
    const { page, person } = given
    await page.goto('/help/which-one')
    const picture = page.locator('main img')
    await picture.waitFor()
    await page.waitForFunction(
      'document.querySelector("main img").complete && document.querySelector("main img").naturalWidth > 0',
    )
    for (const paragraph of await page.locator('main .markdown p').allInnerTexts()) {
      assert.ok(!paragraph.includes('\n'), paragraph)
    }
    await person.findsItAccessible()
  })

  it('is searched by the keyboard, and leads to the section that was found', async (given) => {
    const { page, person } = given
    await page.goto('/help')
    await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('missed fir')
    const found = page.getByRole('list', { name: 'Found' }).getByRole('link')
    await found.first().getByText('Missed firings').waitFor()
    await person.findsItAccessible()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await found.first().and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor()
    const section = page.getByRole('heading', { name: 'Missed firings' })
    await section.and(page.locator(':focus')).waitFor()
    await page.goBack()
    await found.first().waitFor()
    assert.match(page.url(), /find=missed/)
  })

  it('opens the best section with Enter, and says when there is none', async ({ page, person }) => {
    await page.goto('/help/budgets')
    const field = page.getByRole('searchbox', { name: 'Search the documentation' })
    await field.fill('xylophone')
    await person.sees('No matches')
    await field.fill('daylight saving')
    await page.getByRole('list', { name: 'Found' }).waitFor()
    await field.press('Enter')
    await page.getByRole('heading', { name: 'Daylight saving time' }).waitFor()
    assert.match(page.url(), /\/help\/schedules#daylight-saving-time$/)
  })

  it(
    'has a reference of the API that keeps to its content policy',
    { mayFault: true },
    async ({ page }) => {
      await using api = await startTestApp({ role: 'api', env: { MUSTER_DOCS: 'on' } })
      await page.addInitScript(`{
      globalThis.broken = []
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        broken.push(violatedDirective + ' ' + blockedURI))
    }`)
      await page.goto(`${api.url}/docs/`)
      await page.getByText('Retrieve the account of a key').first().waitFor()
      assert.deepEqual(await page.evaluate('broken'), [])
    },
  )
})
