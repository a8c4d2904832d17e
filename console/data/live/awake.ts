import { useEffect, useState } from 'react'

/** How long a hidden tab keeps its connections. */
const asleepAfterMs = 10_000

/**
 * False if the page is hidden, or has been for a while: it then closes its connections, of which a
 * browser has few for all tabs.
 */
export function useIsAwake(): boolean {
  const [isAwake, setIsAwake] = useState(() => !document.hidden)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const onChange = () => {
      clearTimeout(timer)
      if (document.hidden) timer = setTimeout(() => setIsAwake(false), asleepAfterMs)
      else setIsAwake(true)
    }
    onChange()
    document.addEventListener('visibilitychange', onChange)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onChange)
    }
  }, [])
  return isAwake
}
