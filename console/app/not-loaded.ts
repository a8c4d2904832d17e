/**
 * The code of a screen may not load: the line is broken, or a new version of the console was
 * installed and the old files are gone. Names such errors, so that they are told from faults of a
 * screen, and so that the router does not reload the page while nothing answers.
 */
const name = 'ScreenNotLoaded'

export function nameLoadErrors(): void {
  addEventListener('vite:preloadError', ({ payload }) => {
    payload.name = name
    payload.message = `Cannot load the screen: ${payload.message}`
  })
}

export function isNotLoaded(error: unknown): boolean {
  return error instanceof Error && error.name === name
}

const firstPauseMs = 1_000
const longestPauseMs = 30_000

/** Asks until the service answers; returns the page that it now has. */
export async function waitForPage(signal: AbortSignal): Promise<string | undefined> {
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs *= 2) {
    try {
      const response = await fetch('/', { cache: 'no-store', signal })
      if (response.ok) return await response.text()
    } catch {
      // Still nothing.
    }
    await pause(Math.min(pauseMs, longestPauseMs), signal)
  }
  return undefined
}

/** Ends early when the connection comes back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    addEventListener('online', end, { once: true, signal })
    signal.addEventListener('abort', end, { once: true })
  })
}

const reloadedPlace = 'muster.reloaded'
const updatedPlace = 'muster.updated'

/** Reloads for a screen, once for each page that the service has; false if that was done. */
export function reloadOnce(page: string): boolean {
  const scripts = [...page.matchAll(/src="([^"]+\.js)"/g)].map(([, src]) => src).join(' ')
  if (sessionStorage.getItem(reloadedPlace) === scripts) return false
  sessionStorage.setItem(reloadedPlace, scripts)
  const own = document.querySelector('script[type=module][src]')?.getAttribute('src') ?? ''
  if (!scripts.split(' ').includes(own)) sessionStorage.setItem(updatedPlace, 'yes')
  location.reload()
  return true
}

/** Whether the page was reloaded for a new version, until that was said. */
export function wasUpdated(): boolean {
  return sessionStorage.getItem(updatedPlace) !== null
}

export function forgetUpdate(): void {
  sessionStorage.removeItem(updatedPlace)
}
