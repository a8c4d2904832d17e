import { useEffect, useState } from 'react'

/** Another tab may be looked at for this long. */
const asleepAfterMs = 10_000

/**
 * False when nobody looks at the page, or has for a while: it gives back its connections then, of which a
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
