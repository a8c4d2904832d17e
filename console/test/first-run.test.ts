import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { startTestApp, type TestApp } from '../../test/test-app.ts'
import { sitDown, startBrowser } from './person.ts'

let app: TestApp
let browser: Browser

before(async () => {
  app = await startTestApp({ env: { MUSTER_DEFAULT_MODEL: 'muster/demo' } })
  browser = await startBrowser()
})
after(async () => {
  await browser.close()
  await app[Symbol.asyncDispose]()
})

describe('an empty account', () => {
  it('is led to its first run in the browser', async () => {
    await using person = await sitDown(browser, { url: app.url, key: app.key })
    const { page } = person
    await person.findsItAccessible()
    await page.getByRole('button', { name: 'Start the first run' }).click()
    await page.getByText('Completed').waitFor()
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    await page.getByRole('list', { name: 'Timeline' }).getByText('writer').click()
    await page.getByRole('region', { name: 'Detail: writer' }).waitFor()
    await person.findsItAccessible()
    person.sawNoFault()
  })

  it('keeps who is signed in over a reload, and refuses a wrong key in words', async () => {
    await using person = await sitDown(browser, { url: app.url })
    const { page } = person
    await page.goto('/workflows')
    await page.getByLabel('API key').fill('mst_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('Request req_').waitFor()
    await page.getByLabel('API key').fill(app.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
    person.sawNoFault()
  })
})
