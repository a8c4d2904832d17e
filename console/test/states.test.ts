import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { everyPath, furnish } from './furnish.ts'
import { setScene } from './scene.ts'

let paths: string[] = []
const { it } = setScene({
  prepare: async (world) => {
    paths = everyPath(await furnish(world))
  },
})
const mayFault = { mayFault: true } as const

/** Opens every screen from Home while its requests end like this; what was loaded before is forgotten. */
async function walk(
  page: Page,
  answer: (route: Route) => Promise<void>,
  check: (path: string) => Promise<void>,
): Promise<void> {
  for (const path of paths) {
    await page.goto('/')
    await page.getByRole('navigation', { name: 'Screens' }).waitFor()
    await page.route('**/v1/**', answer)
    await page.evaluate(
      `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await check(path)
    await page.unroute('**/v1/**')
  }
}

/** Words that only a program understands. */
const raw = /Failed to fetch|\/v1\/|<html|undefined|NaN|\[object/

async function saysItOnce(page: Page, path: string, words: RegExp): Promise<void> {
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  const main = page.getByRole('main')
  await main.locator(':is(h1, [role=heading][aria-level="1"], [role=alert])').first().waitFor()
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
        if (!(await again.isVisible())) return
        await again.press('Enter')
        await again.waitFor({ state: 'detached' }).catch(() => {
          throw new Error(`${path}: it is still said that something else answers`)
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
})
