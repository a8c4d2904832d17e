import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Person } from './person.ts'

/** Walks over all that can be pressed and typed on a screen, by keyboard. */

const textFields =
  'textarea:visible:enabled, input:visible:enabled:not([type=checkbox], [type=radio], [type=file], [type=search], [type=number], [type=date], [type=time], [type=datetime-local], [readonly])'

export const dialogIn = (page: Page): Locator => page.getByRole('dialog').last()

/** The element with the focus in words, for messages; undefined if the document has it. */
export async function focusIn(page: Page): Promise<string | undefined> {
  return page.evaluate(`(() => {
    const { activeElement: one } = document
    if (one === null || one === document.body) return undefined
    return [one.localName, one.getAttribute('aria-label') ?? one.textContent.slice(0, 60)].join(' ')
  })()`)
}

/**
 * Tabs through the screen from its start: the link to the content comes first, each control has the
 * focus once, in view and not behind a bar, and none keeps it.
 */
export async function tabsThrough(person: Person, path: string): Promise<void> {
  const { page } = person
  await page.keyboard.press('Tab')
  assert.equal(await focusIn(page), 'a Skip to content', path)
  await page.keyboard.press('Enter')
  assert.match((await focusIn(page)) ?? '', /^main/, path)
  const expected = Number(await page.evaluate(`(${markControls})()`))
  const reached = new Set<number>()
  // A date has several parts, each of which has the focus.
  let last: number | undefined
  for (let presses = 0; presses < expected + 60; presses++) {
    await page.keyboard.press('Tab')
    const { number, isInMain, words, cover } = (await page.evaluate(`(${whereFocusIs})()`)) as Focus
    if (!isInMain) break
    assert.equal(cover, '', `${path}: ${words} is behind ${cover}`)
    if (number === null || number === last) continue
    assert.ok(!reached.has(number), `${path}: Tab comes back to ${words}`)
    reached.add(number)
    last = number
  }
  // A plain field that an editor has replaced meanwhile is no longer there.
  const numbers = (await page.evaluate(
    `[...document.querySelectorAll('[data-walk]')].map((one) => Number(one.dataset.walk))`,
  )) as number[]
  const missed = numbers.filter((number) => !reached.has(number))
  assert.deepEqual(missed, [], `${path}: controls that Tab does not reach`)
}

interface Focus {
  number: number | null
  isInMain: boolean
  words: string
  /** What is in front of the control; empty for nothing. */
  cover: string
}

/** This source runs in the page: numbers the controls that Tab has to reach. */
const markControls = `() => {
  const all = [...document.querySelectorAll('main :is(a[href], button, input, select, textarea)')]
  const wanted = all.filter((one) => !one.disabled && one.tabIndex === 0 && one.type !== 'radio'
    && one.checkVisibility({ visibilityProperty: true }) && one.closest('[inert]') === null)
  wanted.forEach((one, index) => { one.dataset.walk = index })
  return wanted.length
}`

const whereFocusIs = `() => {
  const { activeElement: one } = document
  const words = one.localName + ' ' + (one.getAttribute('aria-label') ?? one.textContent).slice(0, 60)
  const isInMain = one.closest('main') !== null
  const rect = one.getClientRects()[0]
  const at = rect && document.elementFromPoint(rect.x + rect.width / 2, rect.y + Math.min(rect.height / 2, 40))
  const isFree = at != null && (one.contains(at) || at.contains(one) || at.closest('label') !== null)
  const cover = isFree ? '' : at == null ? 'the edge of the window' : at.outerHTML.slice(0, 160)
  const { walk } = one.dataset
  return { number: walk === undefined ? null : Number(walk), isInMain, words, cover }
}`

/** The page has one first heading, and no level is left out; texts of models have their own. */
export async function hasHeadingsInOrder(page: Page, path: string): Promise<void> {
  const levels = (await page.evaluate(`[...document.querySelectorAll(
    'main :is(h1, h2, h3, h4, h5, h6, [role=heading])')]
    .filter((one) => one.closest('.markdown') === null && one.checkVisibility())
    .map((one) => Number(one.ariaLevel ?? one.localName.slice(1)))`)) as number[]
  assert.equal(levels.filter((level) => level === 1).length, 1, `${path}: first headings`)
  for (const [index, level] of levels.entries()) {
    assert.ok(level <= (levels[index - 1] ?? 0) + 1, `${path}: levels ${levels.join(' ')}`)
  }
}

/** Buttons of the same name say what they are about. */
export async function tellsButtonsApart(page: Page, path: string): Promise<void> {
  const names = (await page.evaluate(`[...document.querySelectorAll('main button')]
    .filter((one) => one.checkVisibility())
    .map((one) => [one.getAttribute('aria-label') ?? one.textContent,
      document.getElementById(one.getAttribute('aria-describedby'))?.textContent ?? ''].join(' | '))`)) as string[]
  const twice = names.filter((name, index) => names.indexOf(name) !== index && name.endsWith('| '))
  assert.deepEqual(twice, [], path)
}

/** Waits until the page is quiet, then fails if the document has the focus. */
export async function keepsFocus(person: Person, after: string): Promise<void> {
  const { page } = person
  await person.seesAll()
  // The focus is put in place in the frame after the change.
  await page.evaluate(
    'new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))',
  )
  const focus = await focusIn(page)
  assert.ok(focus !== undefined, `${after}: nothing has the focus`)
}

/** Names of the buttons on the screen, each once. */
export async function buttonsIn(page: Page): Promise<string[]> {
  const names = await page
    .locator('main button:visible:enabled, main summary:visible')
    .evaluateAll((found) =>
      found.map((one) => one.getAttribute('aria-label') ?? one.textContent.trim()),
    )
  return [...new Set(names)].filter((name) => name !== '')
}

export function buttonOf(page: Page, name: string): Locator {
  return page
    .locator('main :is(button, summary):visible')
    .filter({ visible: true })
    .and(
      page
        .locator(`[aria-label=${JSON.stringify(name)}]`)
        .or(
          page
            .getByText(name, { exact: true })
            .locator('xpath=ancestor-or-self::*[self::button or self::summary]'),
        ),
    )
    .first()
}

/** Opens a form and leaves it in each way: what was typed is there again, or was asked about. */
export async function keepsDraft(
  person: Person,
  open: () => Promise<void>,
  name: string,
): Promise<void> {
  const { page } = person
  const dialog = dialogIn(page)
  const first = dialog.locator('input, textarea, select').first()
  const isFirst = await first.evaluate((one) => one === one.ownerDocument.activeElement)
  assert.ok(isFirst, `${name}: the form opens in ${await focusIn(page)}, not in its first field`)
  const typed = await typeInto(page, dialog)
  if (typed.size === 0) {
    await page.keyboard.press('Escape')
    return dialog.waitFor({ state: 'detached' })
  }
  for (const leave of [() => page.keyboard.press('Escape'), () => page.mouse.click(3, 3)]) {
    await leave()
    await page.getByText('What you entered is not saved.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('What you entered is not saved.').waitFor({ state: 'detached' })
    await isThere(dialog, typed, `${name}: after it was left`)
  }
  const kept = new Map([...typed].filter(([label]) => !label.startsWith('secret ')))
  for (const leave of [() => page.reload(), () => goAndBack(page)]) {
    await leave()
    await person.seesAll()
    // A secret asks on the page before it is left.
    const asks = page.getByRole('button', { name: 'Discard', exact: true }).last()
    if (await page.getByText('What you entered is not saved.').isVisible()) {
      await asks.click()
      return
    }
    await open()
    await isThere(dialog, kept, `${name}: after Reload or Back`)
  }
  await page.keyboard.press('Escape')
  if (kept.size > 0) await page.getByRole('button', { name: 'Discard', exact: true }).last().click()
  await dialog.waitFor({ state: 'detached' })
}

/** What is typed into the fields of a page is there after Reload, and after Back. */
export async function keepsTyped(person: Person, path: string): Promise<void> {
  const { page } = person
  const main = page.locator('main')
  const typed = await typeInto(page, main)
  for (const leave of typed.size === 0 ? [] : [() => page.reload(), () => goAndBack(page)]) {
    await leave()
    await person.seesAll()
    await isThere(main, typed, `${path}: after Reload or Back`)
  }
}

async function goAndBack(page: Page): Promise<void> {
  const before = page.url()
  await page.goBack()
  // Another screen, or another state of this one.
  await page.waitForURL((url) => url.href !== before)
  await page.goForward()
  await page.waitForURL(before)
}

/** Types into every text field; returns the texts by label, those of secrets apart. */
export async function typeInto(page: Page, within: Locator): Promise<Map<string, string>> {
  const typed = new Map<string, string>()
  const fields = within.locator(textFields)
  for (let index = 0; index < (await fields.count()); index++) {
    const field = fields.nth(index)
    await field.focus()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type('ab')
    const isSecret = (await field.getAttribute('type')) === 'password'
    typed.set(`${isSecret ? 'secret ' : ''}${await labelOf(field)}`, await field.inputValue())
  }
  return typed
}

function labelOf(field: Locator): Promise<string> {
  return field.evaluate((one) => {
    const { labels, name } = one as unknown as { labels: { textContent: string }[]; name: string }
    return one.getAttribute('aria-label') ?? labels[0]?.textContent ?? name
  })
}

export async function isThere(
  within: Locator,
  typed: ReadonlyMap<string, string>,
  when: string,
): Promise<void> {
  for (const [label, text] of typed) {
    const name = label.replace('secret ', '')
    const field = within.getByLabel(name, { exact: true }).first()
    await field.waitFor()
    assert.equal(await field.inputValue(), text, `${when}: ${name}`)
  }
}
