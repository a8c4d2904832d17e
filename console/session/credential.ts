/**
 * The console's API key, in memory and in this tab's session storage only; without one the
 * browser's session cookie is used.
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
