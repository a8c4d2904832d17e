/**
 * Who the console is for the API. A key lives in memory and in this tab's session storage, never
 * longer; without one the browser's own session cookie counts.
 */
const place = 'muster.key'

export function readKey(): string | undefined {
  return sessionStorage.getItem(place) ?? undefined
}

export function keepKey(key: string): void {
  sessionStorage.setItem(place, key)
}

export function forgetKey(): void {
  sessionStorage.removeItem(place)
}
