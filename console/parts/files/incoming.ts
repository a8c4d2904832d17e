import { useEffect, useRef, useState } from 'react'
import { isTyping } from '../../ui/keys.ts'

/**
 * Accepts files that are dropped anywhere on the page or pasted into it; true while files are
 * dragged over it. Otherwise a browser would open a dropped file in place of the page. Text that is
 * pasted together with a picture of it, as from a spreadsheet, stays text in a text field.
 */
export function useIncomingFiles(take: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false)
  const current = useRef(take)
  useEffect(() => {
    current.current = take
  })
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    /** Counts nested elements: entering one element fires before leaving another. */
    let depth = 0
    const enter = (by: 1 | -1) => (event: DragEvent) => {
      if (!hasFiles(event)) return
      depth = Math.max(0, depth + by)
      setIsOver(depth > 0)
    }
    const over = (event: DragEvent) => {
      if (!hasFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
    }
    const drop = (event: DragEvent) => {
      depth = 0
      setIsOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      current.current([...(event.dataTransfer?.files ?? [])])
    }
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])]
      if (files.length === 0) return
      if (isTyping(event) && event.clipboardData?.types.includes('text/plain') === true) return
      event.preventDefault()
      current.current(files)
    }
    document.addEventListener('dragenter', enter(1), { signal })
    document.addEventListener('dragleave', enter(-1), { signal })
    document.addEventListener('dragover', over, { signal })
    document.addEventListener('drop', drop, { signal })
    document.addEventListener('paste', paste, { signal })
    return () => stop.abort()
  }, [])
  return isOver
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true
}
