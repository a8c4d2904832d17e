import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'node:test'
import { furnish, type Places } from './furnish.ts'
import { setScene } from './scene.ts'

/** Where `npm run console:pictures` writes each screen, light, dark and on a phone. */
const folder = join(import.meta.dirname, '../../docs/console')

let places: Places
const { it } = setScene({
  isNew: true,
  prepare: async (world) => {
    places = await furnish(world)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
  },
})

const looks = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: '390', options: { isPhone: true } },
] as const

describe('pictures of the console', () => {
  for (const { name, options } of looks) {
    it(`are made: ${name}`, options, async ({ page, person, sit }) => {
      for (const [screen, path] of Object.entries(places)) {
        await page.goto(path)
        await page.getByRole('navigation', { name: 'Screens' }).waitFor()
        await person.seesAll()
        await page.evaluate('scrollTo(0, 0)')
        await page.screenshot({ path: join(folder, `${screen}-${name}.png`) })
      }
      await page.goto('/')
      await page.getByRole('navigation', { name: 'Screens' }).waitFor()
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('option').first().waitFor()
      await page.screenshot({ path: join(folder, `palette-${name}.png`) })

      const { page: entry } = await sit({ ...options, key: undefined })
      await entry.goto('/')
      await entry.getByRole('heading', { level: 1 }).waitFor()
      await entry.screenshot({ path: join(folder, `sign-in-${name}.png`) })
    })
  }
})
