import { useEffect, useRef, useState } from 'react'
import { hasFiles } from '../../ui/stray-drops.ts'
import { isTyping } from '../../ui/keys.ts'

type Take = (files: readonly File[], folders: readonly string[]) => unknown

/**
 * Accepts files that are dropped anywhere on the page or pasted into it; true while files are
 * dragged over it. Text that is pasted together with a picture of it, as from a spreadsheet, stays text in a text field.
 */
export function useIncomingFiles(take: Take): boolean {
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
      current.current(...contentsOf(event.dataTransfer))
    }
    const paste = (event: ClipboardEvent) => {
      const [files, folders] = contentsOf(event.clipboardData)
      if (files.length + folders.length === 0) return
      if (isTyping(event) && event.clipboardData?.types.includes('text/plain') === true) return
      event.preventDefault()
      current.current(files, folders)
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

/** The files, and the names of folders: a browser lists a folder as a file that cannot be read. */
function contentsOf(carried: DataTransfer | null): [files: File[], folders: string[]] {
  const items = [...(carried?.items ?? [])].filter(({ kind }) => kind === 'file')
  const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry()?.isDirectory === true
  const nameOf = (item: DataTransferItem) => item.webkitGetAsEntry()?.name ?? 'Folder'
  const files = items.filter((item) => !isFolder(item)).map((item) => item.getAsFile())
  return [files.filter((file) => file !== null), items.filter(isFolder).map(nameOf)]
}
