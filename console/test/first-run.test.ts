import { describe } from 'node:test'
import { setScene } from './scene.ts'

const { it } = setScene()

describe('an empty account', () => {
  it('is led to its first run in the browser', async ({ page, person }) => {
    await page.goto('/')
    await person.press('Start the first run')
    await page.getByText('Completed').waitFor()
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    await page.getByRole('list', { name: 'Timeline' }).getByText('writer').click()
    await page.getByRole('region', { name: 'Detail: writer' }).waitFor()
    await person.findsItAccessible()
  })

  it('is entered by a key, which outlives a reload; a wrong one is refused in words', async (given) => {
    const { app, sit } = given
    const { page, press, sees } = await sit({ key: undefined })
    await page.goto('/workflows')
    const toKey = page.getByRole('button', { name: 'Use an API key' })
    const field = page.getByLabel('API key')
    await toKey.or(field).first().waitFor()
    // Keys are offered first as long as nobody has a password.
    if (await toKey.isVisible()) await toKey.click()
    await field.fill('mst_wrong')
    await press('Sign in')
    await sees('Request req_')
    await field.fill(app.key)
    await press('Sign in')
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
  })
})
