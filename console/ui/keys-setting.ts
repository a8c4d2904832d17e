import { useSyncExternalStore } from 'react'

/** Whether single-key shortcuts are on. Kept in this browser, for all of its tabs. */
const place = 'muster.keys'
const listeners = new Set<() => void>()

export function areKeysOn(): boolean {
  return localStorage.getItem(place) !== 'off'
}

export function useKeysSetting(): [isOn: boolean, set: (isOn: boolean) => void] {
  return [useSyncExternalStore(subscribe, areKeysOn), setKeysOn]
}

function setKeysOn(isOn: boolean): void {
  if (isOn) localStorage.removeItem(place)
  else localStorage.setItem(place, 'off')
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}
