import { useEffect, useRef } from 'react'

/**
 * Shortcuts of one key, or two in sequence such as `g i`; off in fields and while a dialog is open.
 */
export type Keys = Record<string, () => void>

const sequenceMs = 1_200
interface Pressed {
  key: string
  at: number
}
let first: Pressed | undefined

export function useKeys(keys: Keys): void {
  const current = useRef(keys)
  useEffect(() => {
    current.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return
      if (isTyping(event.target) || document.querySelector('[role=dialog],[role=menu]')) return
      const { key } = event
      const isSecond = first !== undefined && event.timeStamp - first.at < sequenceMs
      const run =
        (isSecond ? current.current[`${first?.key} ${key}`] : undefined) ?? current.current[key]
      if (run === undefined) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

/**
 * Remembers the previous key, for sequences; registered once, before other listeners. On keydown:
 * fast typists press the second key before they release the first.
 */
export function useSequences(): void {
  useEffect(() => {
    let latest: Pressed | undefined
    const onKey = ({ key, timeStamp, target }: KeyboardEvent) => {
      first = latest
      latest = isTyping(target) ? undefined : { key, at: timeStamp }
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type))
  )
}
