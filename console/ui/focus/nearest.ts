/** Where a control was that has left the page. */
export interface Gap {
  /** Its ancestors, the closest first. */
  ancestors: readonly Element[]
  /** The nodes beside it, or beside the part that was removed with it. */
  next: Node | null
  previous: Node | null
}

const headings = ':is(h1, h2, h3, h4, legend, [role=heading])'
const regions = 'section, article, form, fieldset, main, [role=region], [role=group], [role=dialog]'
const controls = ':is(a[href], button, input, select, textarea, summary, [tabindex="0"])'

/**
 * What gets the focus in place of a removed control: the entry after it in its list, else the one
 * before, else the heading of the closest part of the page that is still there. Never a control
 * that would act: a key that is still held down must not press it.
 */
export function nearestTo({ ancestors, next, previous }: Gap): HTMLElement | undefined {
  const entry = entryFrom(next, 'nextSibling') ?? entryFrom(previous, 'previousSibling')
  if (entry !== undefined) return entry
  for (const one of ancestors) {
    if (!(one instanceof HTMLElement) || !one.isConnected || !isVisible(one)) continue
    if (one.matches('li, tr')) return one
    if (!one.matches(regions)) continue
    const heading = [...one.querySelectorAll<HTMLElement>(headings)].find(isVisible)
    if (heading !== undefined) return heading
    if (one.matches('[role=dialog]')) return one
  }
  return pageHeading() ?? document.querySelector<HTMLElement>('main') ?? undefined
}

function entryFrom(
  node: Node | null,
  on: 'nextSibling' | 'previousSibling',
): HTMLElement | undefined {
  for (let one = node; one?.isConnected === true; one = one[on]) {
    if (one instanceof HTMLElement && one.matches('li, tr') && isVisible(one)) return one
  }
  return undefined
}

/** The control that takes over from a disabled one: beside it, or the last one before it in its form. */
export function insteadOf(disabled: Element): HTMLElement | undefined {
  const form = disabled.closest(`form, ${regions}`) ?? document.body
  const all = [...form.querySelectorAll<HTMLElement>(controls)].filter(canHaveFocus)
  const beside = all.find((one) => one.parentElement === disabled.parentElement)
  return beside ?? all.findLast((one) => isAfter(disabled, one)) ?? pageHeading()
}

function isAfter(node: Node, earlier: Node): boolean {
  return (earlier.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
}

/** The heading that names the page, once it is there. */
export function pageHeading(): HTMLElement | undefined {
  const named = document.querySelectorAll<HTMLElement>('main :is([data-page-heading], h1)')
  return [...named].find(isVisible)
}

export function canHaveFocus(element: Element): boolean {
  return (
    element.isConnected &&
    !element.matches(':disabled') &&
    element.closest('[inert]') === null &&
    isVisible(element)
  )
}

function isVisible(element: Element): boolean {
  return element.checkVisibility({ visibilityProperty: true })
}
