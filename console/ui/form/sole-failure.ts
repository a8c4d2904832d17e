import { useEffect, useId, useRef, useSyncExternalStore } from 'react'
import { isOfConnection } from './error-words.ts'

/** Parts of the page whose reading failed with the connection, and how each is read again. */
const failed = new Map<string, () => void>()
const listeners = new Set<() => void>()

function change(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * A broken connection fails every part of a page alike: the first part says so, and its button reads all of them again.
 * What a person sent is always answered where it was sent.
 */
export function useSoleFailure(
  error: unknown,
  retry: (() => void) | undefined,
): { isShown: boolean; retryAll: (() => void) | undefined } {
  const id = useId()
  const isShared = retry !== undefined && isOfConnection(error)
  const latest = useRef(retry)
  useEffect(() => {
    latest.current = retry
  })
  useEffect(() => {
    if (!isShared) return
    failed.set(id, () => latest.current?.())
    change()
    return () => {
      failed.delete(id)
      change()
    }
  }, [id, isShared])
  const first = useSyncExternalStore(subscribe, () => failed.keys().next().value)
  const isShown = !isShared || first === undefined || first === id || !failed.has(id)
  const retryAll = (): void => {
    failed.forEach((again) => again())
  }
  return { isShown, retryAll: isShared ? retryAll : retry }
}
