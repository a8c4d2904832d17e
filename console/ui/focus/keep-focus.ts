import { useEffect } from 'react'
import { canHaveFocus, insteadOf, nearestTo, pageHeading, type Gap } from './nearest.ts'

/**
 * Keeps the focus from falling to the document, where a person at the keyboard or with a screen
 * reader would begin at the top again. A pressed control may vanish with its row, form or dialog,
 * or may be disabled; then the focus goes to what is nearest. After a change of page it goes to the
 * new page's heading. A click on nothing lets go of the focus, and it is not put back.
 */
interface Held {
  element: HTMLElement
  gap: Gap
}

/** The latest control in a dialog, and the latest one on the page behind it. */
let inDialog: Held | undefined
let onPage: Held | undefined
let awaitsHeading = false
let frame = 0

export function useKeepFocus(): void {
  useEffect(() => {
    const stop = new AbortController()
    const listening = { capture: true, signal: stop.signal }
    addEventListener('focusin', ({ target }) => hold(target), listening)
    addEventListener('pointerdown', onPointer, listening)
    addEventListener('keydown', onKey, listening)
    const observer = new MutationObserver((records) => {
      for (const record of records) noteRemoval(record)
      look()
    })
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ['disabled', 'hidden', 'inert', 'open', 'class'],
    })
    return () => {
      stop.abort()
      observer.disconnect()
      cancelAnimationFrame(frame)
    }
  }, [])
}

/** Moves the focus to the heading of the page that was just opened, once it is there. */
export function focusPage(): void {
  const { activeElement } = document
  // A page may begin in a field.
  if (activeElement?.closest('main') != null && activeElement.matches('input, textarea')) return
  awaitsHeading = true
  document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
  look()
}

function onPointer({ target }: PointerEvent): void {
  awaitsHeading = false
  const pressed = (target as Element).closest(
    'a, button, input, select, textarea, summary, [tabindex]',
  )
  if (pressed === null) inDialog = onPage = undefined
  else hold(pressed)
}

function onKey(event: KeyboardEvent): void {
  if (event.key === 'Tab') awaitsHeading = false
}

function hold(target: EventTarget | null): void {
  if (!(target instanceof HTMLElement) || target === document.body) return
  const held = { element: target, gap: gapOf(target) }
  if (target.closest('[role=dialog], [role=alertdialog]') === null) {
    onPage = held
    inDialog = undefined
  } else inDialog = held
}

function gapOf(element: Element): Gap {
  const ancestors: Element[] = []
  for (let one = element.parentElement; one !== null; one = one.parentElement) ancestors.push(one)
  return { ancestors, next: null, previous: null }
}

/** Remembers what was beside a removed part that had the control in it. */
function noteRemoval({ removedNodes, nextSibling, previousSibling }: MutationRecord): void {
  for (const held of [inDialog, onPage]) {
    if (held === undefined || held.element.isConnected) continue
    const { element, gap } = held
    const isRemoved = [...removedNodes].some(
      (node) => node === element || (node instanceof Element && gap.ancestors.includes(node)),
    )
    if (isRemoved) held.gap = { ...gap, next: nextSibling, previous: previousSibling }
  }
}

/** In the next frame: by then React and the dialogs have moved the focus where they want it. */
function look(): void {
  cancelAnimationFrame(frame)
  frame = requestAnimationFrame(() => {
    if (awaitsHeading) return takeHeading()
    if (isLost()) recover()
  })
}

function takeHeading(): void {
  const heading = pageHeading()
  if (heading === undefined) return
  awaitsHeading = false
  const { activeElement } = document
  const isWaiting = isLost() || activeElement?.matches('main') === true
  const isElsewhere = activeElement?.closest('nav, [role=dialog]') != null
  if (isWaiting || isElsewhere) focus(heading)
}

function isLost(): boolean {
  const { activeElement } = document
  return activeElement === null || activeElement === document.body || !canHaveFocus(activeElement)
}

function recover(): void {
  const dialog = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].at(-1)
  const held = dialog === undefined ? onPage : inDialog
  if (held === undefined) return
  const { element, gap } = held
  if (canHaveFocus(element)) return focus(element)
  const target =
    element.isConnected && element.matches(':disabled') ? insteadOf(element) : nearestTo(gap)
  if (target === undefined || (dialog !== undefined && !dialog.contains(target))) return
  // The page is still loading.
  if (target.matches('main')) awaitsHeading = true
  focus(target)
}

function focus(target: HTMLElement): void {
  if (target.tabIndex < 0 && !target.hasAttribute('tabindex')) target.tabIndex = -1
  target.focus()
}
