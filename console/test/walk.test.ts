import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it as nodeIt } from 'node:test'
import { everyPath, furnish } from './furnish.ts'
import { setScene } from './scene.ts'
import type { Person } from './person.ts'
import {
  buttonOf,
  buttonsIn,
  dialogIn,
  hasHeadingsInOrder,
  keepsDraft,
  keepsFocus,
  keepsTyped,
  tabsThrough,
  tellsButtonsApart,
} from './walk.ts'

const paths: string[] = []
const { it } = setScene({
  prepare: async (world) => {
    const places = await furnish(world)
    paths.push(...everyPath(places))
  },
})

/** Buttons of a page that are pressed; one that shows rows of data has more. */
const mostPressed = 40

/** Presses a button by keyboard, and leaves what it opened. */
async function pressAndLeave(person: Person, name: string, path: string): Promise<void> {
  const { page } = person
  const button = buttonOf(page, name)
  if (!(await button.isVisible()) || !(await button.isEnabled())) return
  const press = async () => {
    if (!(await button.isVisible())) {
      // A reload has closed what was unfolded.
      await page.locator('main details').evaluateAll((all) => {
        for (const one of all) one.setAttribute('open', '')
      })
    }
    await button.focus()
    await page.keyboard.press('Enter')
  }
  await press()
  const what = `${path}: ${name}`
  await keepsFocus(person, what)
  const dialog = dialogIn(page)
  if (await dialog.isVisible()) {
    const fields = dialog.locator('form :is(input, textarea, select)')
    if ((await fields.count()) === 0) {
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    } else {
      const open = () => press().then(() => dialog.waitFor())
      await keepsDraft(person, open, what)
    }
    await keepsFocus(person, `${what}, closed`)
  }
  for (const menu of await page.getByRole('menu').all()) {
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
  }
}

describe('by keyboard', () => {
  for (const part of [0, 1, 2, 3]) {
    it(`every action keeps the focus, and every form what was typed: ${part}`, async (given) => {
      const { page, person } = given
      // A page that would lose a secret asks before it is left.
      page.on('dialog', (asked) => void asked.accept())
      const walked = paths.filter((_, index) => index % 4 === part)
      for (const [index, path] of walked.entries()) {
        // Back leads to another page of the console.
        await page.goto('/agents')
        await page.goto(path)
        await page.getByRole('navigation', { name: 'Screens' }).waitFor()
        await person.seesAll()
        const home = page.url()
        await hasHeadingsInOrder(page, path)
        await tellsButtonsApart(page, path)
        if (index % 2 === 1) await page.setViewportSize({ width: 390, height: 700 })
        await tabsThrough(person, path)
        await page.setViewportSize({ width: 1280, height: 860 })
        const names = new Set(await buttonsIn(page))
        // Buttons that appear are pressed as well.
        for (const name of names) {
          if (/^(Download|Export)|CSV/.test(name)) continue
          if (page.url() !== home) {
            await page.goto(home)
            await person.seesAll()
          }
          await pressAndLeave(person, name, path)
          if (names.size < mostPressed && page.url() === home) {
            for (const another of await buttonsIn(page)) names.add(another)
          }
        }
        await page.goto(home)
        await person.seesAll()
        await keepsTyped(person, path)
      }
    })
  }

  void nodeIt('every address of the console is walked', () => {
    const folder = join(import.meta.dirname, '../app/routes')
    const routes = readdirSync(folder).flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/path: '([^']+)'/g)].map(
        ([, path = '']) => path,
      ),
    )
    assert.ok(routes.length > 20)
    const isShown = (route: string) => !['/dev/ui', '/sign-in', '$pendingId'].includes(route)
    const unwalked = routes.filter(isShown).filter((route) => {
      const pattern = new RegExp(`^${route.replaceAll(/\$\w*/g, '.+')}$`)
      return !paths.some((path) => pattern.test(path.replace(/\?.*/, '')))
    })
    assert.deepEqual(unwalked, [])
  })
})
