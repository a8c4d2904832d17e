import { useEffect, useState, type RefObject } from 'react'

/** After each failed submit, focuses the first field with an error. */
export function useFirstFault(form: RefObject<HTMLElement | null>): () => void {
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (tries > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')?.focus()
  }, [form, tries])
  return () => setTries((tries) => tries + 1)
}
