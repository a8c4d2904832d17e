import { useSyncExternalStore } from 'react'

const paper = typeof matchMedia === 'undefined' ? undefined : matchMedia('print')

/** Whether the page is being printed: then lists have all their rows. */
export function useIsPrinting(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      paper?.addEventListener('change', onChange)
      return () => paper?.removeEventListener('change', onChange)
    },
    () => paper?.matches === true,
  )
}
