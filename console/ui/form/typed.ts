import { useEffect, useRef, useState, type RefObject } from 'react'

export interface Typed {
  ref: RefObject<HTMLInputElement | null>
  value: string
  onChange: (value: string) => void
}

/**
 * A field whose value is in the URL; changes of the URL never overwrite text that is being typed.
 */
export function useTyped(value: string, change: (value: string) => void): Typed {
  const ref = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(value)
  useEffect(() => {
    if (document.activeElement !== ref.current) setTyped(value)
  }, [value])
  const onChange = (value: string) => {
    setTyped(value)
    change(value)
  }
  return { ref, value: typed, onChange }
}
