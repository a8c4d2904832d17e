import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { furnish, type Places } from './furnish.ts'
import { sitDown, startBrowser } from './person.ts'
import { makeWorld, type World } from './world.ts'

let world: World
let browser: Browser
let places: Places

before(async () => {
  world = await makeWorld({ MUSTER_WEBHOOK_SCHEDULE: '0,1' })
  places = await furnish(world)
  browser = await startBrowser()
})
after(async () => {
  await browser.close()
  await world[Symbol.asyncDispose]()
})

describe('every screen', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is accessible, loads nothing from elsewhere and shows no fault: ${colorScheme}`, async () => {
      const { url, key } = world.app
      await using person = await sitDown(browser, { url, key, colorScheme })
      for (const path of Object.values({ ...places, new: '/workflows/new', none: '/nothing' })) {
        await person.page.goto(path)
        await person.page.getByRole('navigation', { name: 'Screens' }).waitFor()
        await person.seesAll()
        await person.findsItAccessible()
      }
      person.sawNoFault()
    })
  }

  it('fits a window of 360 px', async () => {
    const { url, key } = world.app
    await using person = await sitDown(browser, {
      url,
      key,
      width: 360,
      height: 700,
      isPhone: true,
    })
    for (const path of Object.values(places)) {
      await person.page.goto(path)
      await person.page.getByRole('navigation', { name: 'Screens' }).waitFor()
      await person.seesAll()
      const wide = Number(await person.page.evaluate('document.documentElement.scrollWidth'))
      assert.ok(wide <= 360, `${path} is ${wide} px wide`)
    }
    person.sawNoFault()
  })

  it("says that another account's address is not found", async () => {
    const { url, key } = world.app
    await using person = await sitDown(browser, { url, key })
    const ids = ['runs/run_', 'workflows/wf_', 'agents/agt_', 'webhooks/whk_', 'fine-tunes/ft_']
    for (const prefix of ids) {
      await person.page.goto(`/${prefix}01ktbz3v9se0c9x1hm8q5gkxvn`)
      await person.page.getByText('Nothing is here').waitFor()
    }
    await person.page.goto('/dev/ui')
    await person.page.getByText('Nothing is here').waitFor()
    person.sawNoFault()
  })
})
