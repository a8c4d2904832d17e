import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { furnish, type Places } from './furnish.ts'
import { setScene } from './scene.ts'

let places: Places
const { it } = setScene({
  prepare: async (world) => {
    places = await furnish(world)
  },
})

/** Controls that are smaller than 24 by 24 px and not part of a sentence, as WCAG 2.5.8 counts them. */
const smallTargets = `[...document.querySelectorAll('button, a[href], select, summary, [role=button]')]
  .filter((one) => one.checkVisibility() && !one.closest('p, .markdown, .sr-only, li > span') && !one.matches('.sr-only, [type=hidden]'))
  .filter((one) => getComputedStyle(one).display !== 'inline')
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 1 && (Math.round(width) < 24 || Math.round(height) < 24))
  .map(([one, { width, height }]) => (one.ariaLabel ?? one.textContent).slice(0, 30) + ' ' + Math.round(width) + '×' + Math.round(height))`

/** Texts that run into the next of their row, with the spacing of WCAG 1.4.12. */
const collisions = `{
  const style = new CSSStyleSheet()
  style.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }')
  document.adoptedStyleSheets = [style]
  const found = []
  for (const row of document.querySelectorAll('main li a, main tr, main dl')) {
    const texts = [...row.querySelectorAll('*')].filter((one) => one.checkVisibility() && !one.closest('.sr-only') && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    const boxes = texts.flatMap((one) => {
      const range = document.createRange()
      range.selectNodeContents(one)
      const frame = one.getBoundingClientRect()
      const isCut = getComputedStyle(one).overflow !== 'visible'
      return [...range.getClientRects()].map(({ left, right, top, bottom }) => (
        { one, text: one.textContent, left, right: isCut ? Math.min(right, frame.right) : right, top, bottom }
      ))
    })
    for (const a of boxes) for (const b of boxes) {
      if (a.one.contains(b.one) || b.one.contains(a.one) || a.left > b.left) continue
      if (a !== b && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4 && a.right - b.left > 1) found.push(a.text.slice(0, 30) + ' | ' + b.text.slice(0, 30))
    }
  }
  document.adoptedStyleSheets = []
  ;[...new Set(found)].slice(0, 5)
}`

describe('the console seen otherwise', () => {
  it('tells in forced colours what is current, chosen and under way', async ({ page, person }) => {
    await page.emulateMedia({ forcedColors: 'active' })
    await page.goto('/runs?state=completed')
    await person.seesAll()
    const outlines = await page.evaluate(
      '[...document.querySelectorAll("nav [aria-current=page], main [aria-pressed=true]")].map((one) => getComputedStyle(one).outlineStyle)',
    )
    assert.ok((outlines as string[]).length >= 2)
    assert.deepEqual(new Set(outlines as string[]), new Set(['solid']))
    await page.goto(places.run ?? '')
    await page.getByRole('list', { name: 'Timeline' }).waitFor()
    const ground = await page.evaluate(
      'getComputedStyle(document.querySelector("ol .drawn")).backgroundColor',
    )
    assert.doesNotMatch(String(ground), /rgb\(0, 0, 0\)|rgb\(255, 255, 255\)|rgba\(0, 0, 0, 0\)/)
  })

  it('leaves an approval in sight at 400 %', { width: 320, height: 256 }, async (given) => {
    const { page, openCase, start } = given
    await openCase(page, await start('mail {"to": "ada@example.com", "subject": "x", "text": "y"}'))
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    const positions = await page.evaluate(
      '[...document.querySelectorAll("main .foot-bar")].map((one) => getComputedStyle(one).position)',
    )
    assert.deepEqual(new Set(positions as string[]), new Set(['static']))
  })

  it('is a page on paper: all of a run, in light, without controls', async ({ page, person }) => {
    await page.goto(places.run ?? '')
    await person.seesAll()
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.getByRole('list', { name: 'Timeline' }).waitFor()
    assert.equal(await page.getByRole('navigation').count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Run again' }).count(), 0)
    const scheme = await page.evaluate('getComputedStyle(document.documentElement).colorScheme')
    assert.equal(scheme, 'light')
    await page
      .getByText(/\d{4}, \d+:\d\d:\d\d/)
      .first()
      .waitFor()
    await page.emulateMedia({ media: null })
  })

  it('has targets of 24 px, and keeps texts apart however they are spaced', async (given) => {
    const { page, person } = given
    const small: string[] = []
    const close: string[] = []
    for (const path of Object.values(places)) {
      await page.goto(path)
      await person.seesAll()
      for (const one of (await page.evaluate(smallTargets)) as string[])
        small.push(`${path}: ${one}`)
      for (const one of (await page.evaluate(collisions)) as string[]) close.push(`${path}: ${one}`)
    }
    assert.deepEqual([...new Set(small)], [])
    assert.deepEqual([...new Set(close)], [])
  })
})
