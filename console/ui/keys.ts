import { useEffect, useRef, useSyncExternalStore, type RefObject } from 'react'
import { areKeysOn } from './browser-settings.ts'

/**
 * Shortcuts of one key, or of two in sequence such as `g i`. This file alone decides whether a key
 * acts: shortcuts are on, the focus is in no editable element, and no dialog or menu is open. A
 * decision, which cannot be undone, acts at once only while the focus is inside its region; from
 * elsewhere on the page its key must be pressed twice in a row.
 */
type Action = () => void

interface Decision {
  run: Action
  /** A verb, such as `approve`, for the hint after the first press. */
  verb: string
}

/** An undefined action does nothing, and keeps the key from regions around it. */
export type Keys = Record<string, Action | Decision | undefined>

interface Region {
  /** The part of the page that the keys are about; the innermost one with the focus wins. */
  region?: RefObject<HTMLElement | null> | undefined
  /** The keys act only while the focus is inside the region. */
  isLocal?: boolean
}

interface Entry extends Region {
  keys: Keys
}

const entries = new Set<Entry>()

export function useKeys(keys: Keys, { region, isLocal = false }: Region = {}): void {
  const entry = useRef<Entry>({ keys })
  useEffect(() => {
    Object.assign(entry.current, { keys, region, isLocal })
  })
  useEffect(() => {
    const own = entry.current
    entries.add(own)
    if (entries.size === 1) addEventListener('keydown', onKey)
    return () => {
      entries.delete(own)
      if (armed?.entry === own) arm(undefined)
      if (entries.size === 0) removeEventListener('keydown', onKey)
    }
  }, [])
}

const sequenceMs = 1_200
/** The first key of a sequence. */
let started: { key: string; at: number } | undefined

/** On keydown: fast typists press the second key before they release the first. */
function onKey(event: KeyboardEvent): void {
  const { key, timeStamp } = event
  if (/^(Shift|CapsLock)$/.test(key)) return
  const before = started
  started = undefined
  if (!mayAct(event)) return arm(undefined)
  const isSecond = before !== undefined && timeStamp - before.at < sequenceMs
  const name = isSecond ? `${before.key} ${key}` : key
  const entry = entryOf(name)
  if (entry === undefined) {
    const starts = [...entries].some(({ keys }) =>
      Object.keys(keys).some((one) => one.startsWith(`${key} `)),
    )
    if (starts) started = { key, at: timeStamp }
    return arm(undefined)
  }
  event.preventDefault()
  const action = entry.keys[name]
  if (action === undefined || typeof action === 'function') {
    arm(undefined)
    return action?.()
  }
  // A key that is held down must not decide.
  if (event.repeat) return
  const isConfirmed = armed?.entry === entry && armed.key === key
  if (!isConfirmed && !hasFocus(entry)) return arm({ entry, key, verb: action.verb })
  arm(undefined)
  action.run()
}

/** Keeps Enter that is still held down from pressing the button that now has the focus. */
export function useNoHeldEnter(): void {
  useEffect(() => {
    const refuse = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !event.repeat) return
      const [target] = event.composedPath()
      const isText =
        target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea'))
      if (!isText) event.preventDefault()
    }
    addEventListener('keydown', refuse, { capture: true })
    return () => removeEventListener('keydown', refuse, { capture: true })
  }, [])
}

function mayAct(event: KeyboardEvent): boolean {
  return (
    areKeysOn() &&
    !event.defaultPrevented &&
    !event.isComposing &&
    !(event.metaKey || event.ctrlKey || event.altKey) &&
    !isTyping(event) &&
    !isEditable(deepestActiveElement()) &&
    document.querySelector('[role=dialog],[role=alertdialog],[role=menu]') === null
  )
}

/** Whether an event comes from an editable element. The target of one from a shadow root is its host. */
export function isTyping(event: Event): boolean {
  return event.composedPath().some(isEditable)
}

const textRoles = ['textbox', 'searchbox', 'combobox', 'listbox', 'spinbutton']
  .map((role) => `[role=${role}]`)
  .join()
const pressed = ['checkbox', 'radio', 'button', 'submit', 'reset', 'file']
  .map((type) => `[type=${type}]`)
  .join()

function isEditable(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches(`textarea, select, input:not(${pressed}), ${textRoles}`))
  )
}

function deepestActiveElement(): Element | null {
  let active = document.activeElement
  while (active?.shadowRoot?.activeElement != null) active = active.shadowRoot.activeElement
  return active
}

/** The entry that the key is for: the innermost with the focus, else one that needs no focus. */
function entryOf(name: string): Entry | undefined {
  const having = [...entries].filter(({ keys }) => name in keys)
  const focused = having.filter(hasFocus)
  const isInnermost = ({ region: inner }: Entry) =>
    focused.every(({ region: outer }) => outer?.current?.contains(inner?.current ?? null))
  return focused.find(isInnermost) ?? having.find(({ isLocal }) => isLocal !== true)
}

function hasFocus({ region }: Entry): boolean {
  return region?.current?.contains(document.activeElement) === true
}

/** The decision whose key was pressed once, for a short time. */
interface Armed {
  entry: Entry
  key: string
  verb: string
}
const armedMs = 5_000
let armed: Armed | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function arm(next: Armed | undefined): void {
  clearTimeout(timer)
  if (next !== undefined) timer = setTimeout(() => arm(undefined), armedMs)
  if (next === armed) return
  armed = next
  for (const listener of listeners) listener()
}

/** The key that has to be pressed once more, and what it will do. */
export function useArmedKey(): { key: string; verb: string } | undefined {
  return useSyncExternalStore(subscribe, () => armed)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
