import { useEffect, useState, type ReactNode } from 'react'
import { announce } from '../../ui/focus/announce.tsx'
import { forgetUpdate, wasUpdated } from '../not-loaded.ts'

const shownMs = 10_000
const words = 'A new version was installed.'

/** Says why the page reloaded by itself. */
export function Updated(): ReactNode {
  const [isShown, setShown] = useState(wasUpdated)
  useEffect(() => {
    if (!isShown) return
    announce(words)
    const timer = setTimeout(() => {
      forgetUpdate()
      setShown(false)
    }, shownMs)
    return () => clearTimeout(timer)
  }, [isShown])
  if (!isShown) return null
  return (
    <p className="fixed bottom-32 left-1/2 z-40 w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 rounded-full border bg-raised px-4 py-2 text-sm shadow-raised">
      {words}
    </p>
  )
}
