import { useSyncExternalStore, type ReactNode } from 'react'

/** The latest message for people who hear the page. A number tells equal messages apart. */
let current = { text: '', count: 0 }
const listeners = new Set<() => void>()

/** Has screen readers say what people who see the page can see. */
export function announce(text: string): void {
  current = { text, count: current.count + 1 }
  for (const listener of listeners) listener()
}

/** The polite live region of the page. */
export function Announcer(): ReactNode {
  const { text, count } = useSyncExternalStore(subscribe, () => current)
  return (
    // With `aria-live`, an open dialog does not hide it.
    <p role="status" aria-live="polite" aria-label="Messages" className="sr-only">
      <span key={count}>{text}</span>
    </p>
  )
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
