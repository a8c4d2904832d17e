import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setScene } from './scene.ts'

const { it } = setScene()
// The browser reports the error that the page then shows.
const mayFault = { mayFault: true } as const

describe('a screen whose code does not load', () => {
  it(
    'waits within the shell while the line is off, and loads by itself',
    mayFault,
    async (given) => {
      const { page, person, context } = given
      await page.goto('/')
      await person.seesAll()
      await context.setOffline(true)
      await page.getByRole('link', { name: 'Audit' }).click()
      await page.getByText('This screen is not loaded yet.').waitFor()
      await page.getByRole('navigation', { name: 'Screens' }).waitFor()
      await context.setOffline(false)
      await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
      assert.equal(await page.getByText('A new version').count(), 0)
    },
  )

  it('says so where it is a menu', mayFault, async ({ page }) => {
    await page.route('**/account-choices-*.js', (route) => route.abort())
    await page.goto('/')
    await page.getByRole('button', { name: /· admin/ }).click()
    await page.getByText('Cannot load this menu. Reload the page.').waitFor()
  })

  it(
    'is loaded by one reload after a new version was installed, which is said',
    mayFault,
    async ({ page }) => {
      await page.goto('/')
      let loads = 0
      page.on('request', (request) => {
        if (request.isNavigationRequest()) loads++
      })
      // The old files are gone, and the page names others.
      let isOld = true
      await page.route('**/audit-screen-*.js', (route) =>
        isOld ? route.fulfill({ status: 404 }) : route.fallback(),
      )
      await page.route(
        (url) => url.pathname === '/',
        async (route) => {
          if (route.request().resourceType() !== 'fetch') return route.fallback()
          isOld = false
          await route.fulfill({ body: '<script type="module" src="/assets/newer.js"></script>' })
        },
      )
      await page.getByRole('link', { name: 'Audit' }).click()
      await page.getByText('A new version was installed.').first().waitFor()
      await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
      assert.equal(loads, 1)
    },
  )
})

describe('a first load', () => {
  it('says that Muster does not answer yet, and tries again by itself', async ({
    page,
    person,
  }) => {
    let asked = 0
    await page.route('**/v1/account', (route) =>
      ++asked > 3
        ? route.fallback()
        : route.fulfill({ status: 502, body: '<html><h1>Bad Gateway</h1></html>' }),
    )
    await page.goto('/agents')
    await page.getByRole('heading', { level: 1, name: 'Muster does not answer yet' }).waitFor()
    assert.equal(await page.getByText('Sign in to Muster').count(), 0)
    await person.findsItAccessible()
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    assert.ok(asked > 3)
  })
})
