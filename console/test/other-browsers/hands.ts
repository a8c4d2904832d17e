import { until } from '../../../rig/until.ts'
import type { InputSource, OtherBrowser } from './browser.ts'

/** The whole name of a control, or what it must match. */
type Name = string | RegExp

/** A person's hands at one of the other browsers: clicks with the pointer, types with keys. */
export interface Hands {
  /** Waits for a control of this name and clicks it. */
  press: (name: Name) => Promise<void>
  /** Clicks the field of this name and types in place of what it holds. */
  type: (name: Name, text: string, kind?: string) => Promise<void>
  /** Puts the focus on the select of this name and moves to an option with the arrow keys. */
  choose: (name: string, option: string) => Promise<void>
  /** Presses keys one after the other, where the focus is. */
  keys: (...keys: string[]) => Promise<void>
  /** Waits until the text is on the page, in a heading if one is asked for. */
  sees: (text: string, within?: string) => Promise<void>
  /** Waits until the text is no longer on the page. */
  seesNoMore: (text: string) => Promise<void>
}

const waitMs = 15_000
/** A control that was where it is for this long does not move away from under the pointer. */
const stillMs = 400
const control = '\uE009'
const arrowUp = '\uE013'
const arrowDown = '\uE015'
export const enter = '\uE007'

export function handsAt(browser: OtherBrowser): Hands {
  const wait = async (what: string, holds: () => Promise<unknown>): Promise<void> => {
    try {
      await until(what, waitMs, async () => Boolean(await holds()), 50)
    } catch (error) {
      const shown = await browser.call('() => location.href + "\\n" + document.body.innerText')
      throw new Error(`${String(error)}. The page shows: ${String(shown)}`, { cause: error })
    }
  }
  const click = async (name: Name, kind = controls): Promise<void> => {
    let place: Place | undefined
    let since = 0
    await wait(`"${String(name)}" can be clicked`, async () => {
      const found = (await browser.call(findControl, kind, inPage(name))) as Place | null
      if (found === null || found.x !== place?.x || found.y !== place.y) since = performance.now()
      place = found ?? undefined
      return performance.now() - since > stillMs
    })
    await browser.act([
      {
        type: 'pointer',
        id: 'mouse',
        parameters: { pointerType: 'mouse' },
        actions: [
          { type: 'pointerMove', x: place?.x, y: place?.y },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
      },
    ])
  }
  const keys = async (...all: string[]): Promise<void> => {
    await browser.act([keyboard(all.flatMap((value) => [down(value), up(value)]))])
  }
  const selectAll = [down(control), down('a'), up('a'), up(control)]
  return {
    press: (name) => click(name),
    keys,
    type: async (name, text, kind = fields) => {
      await click(name, kind)
      await wait(`"${String(name)}" has the focus`, () =>
        browser.call(hasFocus, kind, inPage(name)),
      )
      await browser.act([keyboard(selectAll)])
      await keys(...text.split(''))
    },
    choose: async (name, option) => {
      await wait(`the select "${name}"`, () => browser.call(focusSelect, 'select', inPage(name)))
      const steps = Number(await browser.call(stepsTo, 'select', inPage(name), option))
      await keys(...Array<string>(Math.abs(steps)).fill(steps < 0 ? arrowUp : arrowDown))
      await wait(`"${name}" is "${option}"`, () =>
        browser.call(hasChosen, 'select', inPage(name), option),
      )
    },
    sees: (text, within = 'body') =>
      wait(`"${text}" is shown`, () => browser.call(shows, text, within)),
    seesNoMore: (text) =>
      wait(`"${text}" is gone`, async () => !(await browser.call(shows, text, 'body'))),
  }
}

interface Place {
  x: number
  y: number
}

const keyboard = (actions: InputSource['actions']): InputSource => ({
  type: 'key',
  id: 'keyboard',
  actions,
})
const down = (value: string): { type: string; value: string } => ({ type: 'keyDown', value })
const up = (value: string): { type: string; value: string } => ({ type: 'keyUp', value })

// The sources below run in the page. An open dialog takes the rest of the page away.

const finding = `
  const words = (text) => (text ?? '').replace(/\\s+/g, ' ').trim()
  const dialogs = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')]
    .filter((one) => one.checkVisibility())
  const inside = (root, selector) => [
    ...root.querySelectorAll(selector),
    ...[...root.querySelectorAll('*')].flatMap((one) => one.shadowRoot ? inside(one.shadowRoot, selector) : []),
  ]
  const textOf = (one) => [...one.childNodes].map((child) => child.nodeType === 3 ? child.data
    : child.ariaHidden === 'true' ? '' : textOf(child)).join(' ')
  const nameOf = (one) => {
    const described = one.getAttribute('aria-label')
      ?? one.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id)?.textContent).join(' ')
    const label = one.labels?.[0]
    return words(described ?? (textOf(label ?? one)))
  }
  const find = (selector, name) => inside(dialogs.at(-1) ?? document, selector)
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled)
    .find((one) => [nameOf(one), one.placeholder ?? ''].some((text) => new RegExp(name).test(text)))`

const fields = 'input, textarea'
/** The editor proper, not the plain field that stands there until it is loaded. */
export const editor = '[contenteditable=true]'
const controls = `button, a[href], summary, ${fields}, [role=menuitem], [role=tab]`

const inPage = (name: Name): string =>
  typeof name === 'string' ? `^${RegExp.escape(name)}$` : name.source

const findControl = `(kind, name) => {
  ${finding}
  const one = find(kind, name)
  if (one === undefined) return null
  const { x, y, width, height } = one.getBoundingClientRect()
  const place = { x: Math.round(x + width / 2), y: Math.round(y + Math.min(height / 2, 30)) }
  const hit = one.getRootNode().elementFromPoint(place.x, place.y)
  if (hit !== null && one.contains(hit)) return place
  one.scrollIntoView({ block: 'center' })
  return null
}`

const hasFocus = `(kind, name) => {
  ${finding}
  const one = find(kind, name)
  return one !== undefined && one.getRootNode().activeElement === one
}`

const focusSelect = `(kind, name) => {
  ${finding}
  const one = find(kind, name)
  one?.focus()
  return one !== undefined && document.activeElement === one
}`

const stepsTo = `(kind, name, option) => {
  ${finding}
  const one = find(kind, name)
  return [...one.options].findIndex(({ label }) => label === option) - one.selectedIndex
}`

const hasChosen = `(kind, name, option) => {
  ${finding}
  return find(kind, name)?.selectedOptions[0]?.label === option
}`

const shows = `(text, within) => {
  ${finding}
  return inside(document, within).some((one) => one.checkVisibility() && words(one.innerText).includes(text))
}`
