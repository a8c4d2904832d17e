import type { ReactNode } from 'react'
import { useArmedKey } from '../../ui/keys.ts'

/** Says which key has to be pressed again, above the bars at the bottom of the page. */
export function ArmedKey(): ReactNode {
  const armed = useArmedKey()
  return (
    <p
      role="status"
      className="fixed bottom-32 left-1/2 z-40 w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 rounded-full border bg-raised px-4 py-2 text-sm shadow-raised empty:sr-only"
    >
      {armed && `Press ${armed.key} again to ${armed.verb}`}
    </p>
  )
}
