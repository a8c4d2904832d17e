import { useEffect, useState, type RefObject } from 'react'

/** After each try to send a form, brings whoever filled it in to the first field that is at fault. */
export function useFirstFault(form: RefObject<HTMLElement | null>): () => void {
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [form, tries])
  return () => setTries((tries) => tries + 1)
}
