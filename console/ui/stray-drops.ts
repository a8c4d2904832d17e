import { useEffect } from 'react'

/** Keeps the browser from opening a file in place of the console when it is dropped where no file is expected. */
export function useNoStrayDrops(): void {
  useEffect(() => {
    const stop = new AbortController()
    const refuse = (event: DragEvent) => {
      if (event.defaultPrevented || !hasFiles(event) || isFileField(event.target)) return
      event.preventDefault()
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none'
    }
    for (const type of ['dragover', 'drop'] as const) {
      addEventListener(type, refuse, { signal: stop.signal })
    }
    return () => stop.abort()
  }, [])
}

export function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true
}

function isFileField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === 'file'
}
