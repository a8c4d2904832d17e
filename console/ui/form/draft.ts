import { useCallback, useState } from 'react'

/**
 * Unsaved input, in this tab's session storage: it survives a reload, a restart of the service and
 * an ended session. Secrets are never stored in drafts.
 */
export function useDraft<T>(
  name: string,
  initial: T,
): [value: T, set: (value: T) => void, clear: () => void, isChanged: boolean] {
  const place = storageKey(name)
  const [state, setState] = useState(() => ({ place, value: readPlace(place) as T | undefined }))
  // A new name means another draft.
  const current =
    state.place === place ? state : { place, value: readPlace(place) as T | undefined }
  if (current !== state) setState(current)

  const set = useCallback(
    (value: T) => {
      store(place, value)
      setState({ place, value })
    },
    [place],
  )
  const clear = useCallback(() => {
    forgetDraft(name)
    setState({ place, value: undefined })
  }, [name, place])
  return [current.value ?? initial, set, clear, current.value !== undefined]
}

/** Writes the draft of a form that is not on the page. */
export function writeDraft(name: string, value: unknown): void {
  store(storageKey(name), value)
}

function store(place: string, value: unknown): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(value))
  } catch {
    // If the storage is full, the draft is lost only on reload.
  }
}

export function hasDraft(name: string): boolean {
  return sessionStorage.getItem(storageKey(name)) !== null
}

export function forgetDraft(name: string): void {
  sessionStorage.removeItem(storageKey(name))
}

/** Deletes the drafts of all accounts. */
export function forgetDrafts(): void {
  for (const place of Object.keys(sessionStorage)) {
    if (place.startsWith(prefix)) sessionStorage.removeItem(place)
  }
}

const prefix = 'muster.draft.'
let accountId = ''

/** Switches drafts to another account. Returns false if it is the current one. */
export function showDraftsOf(id: string): boolean {
  const isOther = accountId !== id
  accountId = id
  return isOther
}

function storageKey(name: string): string {
  return `${prefix}${accountId}.${name}`
}

export function readDraft(name: string): unknown {
  return readPlace(storageKey(name))
}

function readPlace(place: string): unknown {
  try {
    const text = sessionStorage.getItem(place)
    return text === null ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}
