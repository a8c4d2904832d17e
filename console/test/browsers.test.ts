import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'node:test'
import { checkBrowsers, inWords, readBrowsers } from '../build/browsers.ts'
import { makeScratchFolder } from '../../rig/scratch-folder.ts'
import { setScene } from './scene.ts'

const { it } = setScene()

describe('the oldest browsers', () => {
  it('are told apart from older ones, which get a sentence', async ({ page }) => {
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.addInitScript('delete URL.parse')
    await page.goto('/inbox')
    const sentence = `runs in ${inWords(await readBrowsers())} or newer`
    await page.getByText(sentence).waitFor()
    assert.deepEqual(errors, [])
  })

  it('are named by the docs', async () => {
    const text = await readFile(join(import.meta.dirname, '../../docs/console.md'), 'utf8')
    assert.ok(text.includes(`${inWords(await readBrowsers())} or newer`))
  })

  it('have every function that the built files use', async () => {
    await using folder = await makeScratchFolder()
    await mkdir(join(folder.path, 'assets'))
    const file = join(folder.path, 'assets/a.js')
    const browsers = await readBrowsers()
    await writeFile(file, 'URL.parse("x");new Set().union(new Set())')
    await checkBrowsers(folder.path, browsers)
    await assert.rejects(
      checkBrowsers(folder.path, { ...browsers, chrome: 125, safari: 17 }),
      /URL\.parse \(a\.js; not in Chrome 125, Safari 17\)$/,
    )
    await assert.rejects(
      checkBrowsers(folder.path, { ...browsers, firefox: 126 }),
      /\.union \(a\.js/,
    )
  })
})
