import { useSyncExternalStore } from 'react'

/** Whether times are shown exactly, not as how long ago. Kept in this browser. */
const place = 'muster.times'
const listeners = new Set<() => void>()

export function useExactTimes(): boolean {
  return useSyncExternalStore(subscribe, areExact)
}

export function toggleExactTimes(): void {
  if (areExact()) localStorage.removeItem(place)
  else localStorage.setItem(place, 'exact')
  for (const listener of listeners) listener()
}

function areExact(): boolean {
  return localStorage.getItem(place) === 'exact'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
