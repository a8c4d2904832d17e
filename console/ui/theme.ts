import { useSyncExternalStore } from 'react'

/** Light, dark, or the system's setting. `public/theme.js` applies it before the first paint. */
export type Theme = 'system' | 'light' | 'dark'

const place = 'muster.theme'
const listeners = new Set<() => void>()

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme)
}

export function setTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') {
    delete dataset['theme']
    localStorage.removeItem(place)
  } else {
    dataset['theme'] = theme
    localStorage.setItem(place, theme)
  }
  for (const listener of listeners) listener()
}

function readTheme(): Theme {
  const theme = document.documentElement.dataset['theme']
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
