import { useSyncExternalStore } from 'react'

/** Settings that are kept in this browser, for all of its tabs. */
class Setting {
  readonly #place: string
  readonly #listeners = new Set<() => void>()

  constructor(place: string) {
    this.#place = place
  }

  read = (): string | null => localStorage.getItem(this.#place)

  /** Null restores the default. */
  set(text: string | null): void {
    if (text === null) localStorage.removeItem(this.#place)
    else localStorage.setItem(this.#place, text)
    for (const listener of this.#listeners) listener()
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    addEventListener('storage', listener)
    return () => {
      this.#listeners.delete(listener)
      removeEventListener('storage', listener)
    }
  }
}

function useSetting({ subscribe, read }: Setting): string | null {
  return useSyncExternalStore(subscribe, read)
}

const keys = new Setting('muster.keys')

/** Whether single-key shortcuts are on. */
export function areKeysOn(): boolean {
  return keys.read() !== 'off'
}

export function useKeysSetting(): [isOn: boolean, set: (isOn: boolean) => void] {
  return [useSetting(keys) !== 'off', (isOn) => keys.set(isOn ? null : 'off')]
}

/** Titles, one a line. */
const folded = new Setting('muster.folded')

/** Whether a group of the navigation is folded. */
export function useFolded(title: string): [isFolded: boolean, fold: (isFolded: boolean) => void] {
  const fold = (isFolded: boolean): void => {
    const others = linesOf(folded.read()).filter((one) => one !== title)
    const titles = isFolded ? [...others, title] : others
    folded.set(titles.length === 0 ? null : titles.join('\n'))
  }
  return [linesOf(useSetting(folded)).includes(title), fold]
}

function linesOf(text: string | null): string[] {
  return text === null ? [] : text.split('\n')
}
