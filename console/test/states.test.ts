import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page, Request, Route } from 'playwright-core'
import { until } from '../../rig/until.ts'
import { everyPath, furnish } from './furnish.ts'
import { setScene } from './scene.ts'

let paths: string[] = []
/** The heading of Home. */
let home = ''
const { it } = setScene({
  prepare: async (world) => {
    paths = everyPath(await furnish(world))
  },
})
const mayFault = { mayFault: true } as const

async function openHome(page: Page): Promise<void> {
  await page.goto('/')
  home = await page.getByRole('main').getByRole('heading', { level: 1 }).first().innerText()
}

/** Opens every screen from Home, while `answer` answers its requests. Home is loaded anew for each. */
async function walk(
  page: Page,
  answer: (route: Route) => Promise<void>,
  check: (path: string) => Promise<void>,
  begin?: () => Promise<void>,
): Promise<void> {
  for (const path of paths) {
    await openHome(page)
    await begin?.()
    await page.route('**/v1/**', answer)
    await goTo(page, path)
    await check(path)
    await page.unroute('**/v1/**')
  }
}

/** Goes to a screen without loading the page. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
}

/** Waits for the heading of a screen, or for an error or a dialog in its place. */
async function arrive(page: Page, path: string): Promise<void> {
  // Not by role, because elements behind a dialog have none.
  const heading = page.locator('main :is(h1, [role=heading][aria-level="1"], [role=alert])')
  const arrived = path === '/' ? heading : heading.filter({ hasNotText: home })
  await arrived.or(page.getByRole('dialog')).first().waitFor({ state: 'attached' })
}

const isStream = (request: Request): boolean => new URL(request.url()).pathname.endsWith('/events')

/** Words that only a program understands. */
const raw = /Failed to fetch|\/v1\/|<html|undefined|NaN|\[object/

async function saysItOnce(page: Page, path: string, words: RegExp): Promise<void> {
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await arrive(page, path)
  const main = page.getByRole('main')
  const alerts = await main.getByRole('alert').allInnerTexts()
  assert.ok(alerts.length <= 1, `${path}: ${alerts.join(' | ')}`)
  for (const alert of alerts) assert.match(alert, words, path)
  assert.doesNotMatch(await main.innerText(), raw, path)
}

describe('every screen', () => {
  it(
    'says in words, once, that something else answers, and is there when asked again',
    mayFault,
    async (given) => {
      const { page } = given
      const answer = (route: Route) =>
        route.fulfill({ status: 502, contentType: 'text/html', body: '<html>Bad Gateway</html>' })
      await walk(page, answer, async (path) => {
        await saysItOnce(page, path, /answered in its place \(status 502\)/)
        await page.unroute('**/v1/**')
        const again = page.getByRole('main').getByRole('button', { name: 'Try again' })
        // A request that was still answered in its place may end after the first press.
        await until(`${path} is there`, 20_000, async () => {
          if (!(await again.isVisible())) return true
          await again.press('Enter', { timeout: 1_000 }).catch(() => {})
          return !(await again.isVisible())
        })
      })
    },
  )

  it('says in words, once, that there is no connection', mayFault, async ({ page }) => {
    await walk(
      page,
      (route) => route.abort('internetdisconnected'),
      (path) => saysItOnce(page, path, /does not answer|offline/),
    )
  })

  it('keeps its frame while an answer is awaited', mayFault, async ({ page }) => {
    const held: (() => void)[] = []
    await walk(
      page,
      (route) => new Promise((resolve) => held.push(() => resolve(route.fallback()))),
      async (path) => {
        await page.getByRole('navigation', { name: 'Screens' }).waitFor()
        const text = await page.getByRole('main').innerText()
        assert.notEqual(text.trim(), '', path)
        assert.doesNotMatch(text, raw, path)
        for (const release of held.splice(0)) release()
      },
    )
  })

  it('asks for a new sign-in where the session has ended', mayFault, async ({ page }) => {
    let refused = 0
    const refuse = async (route: Route): Promise<void> => {
      // Streams end by themselves; requests say why.
      if (isStream(route.request())) return route.abort()
      refused++
      const error = { type: 'authentication_error', code: 'unauthorized', message: 'Ended' }
      await route.fulfill({ status: 401, json: { error } })
    }
    const open = new Set<Request>()
    page.on('request', (request) => {
      if (!isStream(request)) open.add(request)
    })
    page.on('requestfinished', (request) => open.delete(request))
    page.on('requestfailed', (request) => open.delete(request))
    // What Home asks for is not of the screen.
    const begin = async (): Promise<void> => {
      await until('Home has its answers', 15_000, () => open.size === 0)
      refused = 0
    }
    let asked = 0
    await walk(
      page,
      refuse,
      async (path) => {
        await arrive(page, path)
        if (refused > 0) {
          const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
          await dialog.waitFor().catch(() => {
            throw new Error(`${path}: ${refused} requests were refused, and no sign-in is shown`)
          })
          asked++
        }
        assert.doesNotMatch(await page.locator('main').innerText(), raw, path)
      },
      begin,
    )
    assert.ok(asked > paths.length / 2, `${asked} of ${paths.length} screens asked`)
  })

  it(
    'is shown by at most one reload after a new version was installed',
    mayFault,
    async (given) => {
      const { page } = given
      let isOld = true
      let versions = 0
      let loads = 0
      page.on('request', (request) => {
        if (request.isNavigationRequest()) loads++
      })
      await page.route('**/assets/*-screen-*.js', (route) =>
        isOld ? route.fulfill({ status: 404 }) : route.fallback(),
      )
      // The new page names other files; its own screens can be loaded.
      await page.route(
        (url) => url.pathname === '/',
        async (route) => {
          if (route.request().resourceType() !== 'fetch') return route.fallback()
          isOld = false
          versions++
          await route.fulfill({
            body: `<script type="module" src="/assets/${versions}.js"></script>`,
          })
        },
      )
      for (const path of paths) {
        isOld = false
        await openHome(page)
        isOld = true
        loads = 0
        await goTo(page, path)
        await arrive(page, path)
        const alerts = page.getByRole('main').getByRole('alert')
        assert.deepEqual(await alerts.allInnerTexts(), [], path)
        assert.ok(loads <= 1, `${path}: ${loads} loads`)
      }
      assert.ok(
        versions > paths.length / 2,
        `${versions} of ${paths.length} screens were loaded anew`,
      )
    },
  )
})
