import type { ReactNode } from 'react'
import { CopyButton } from './text/copy.tsx'

/** A secret that is shown only once. */
export function Secret({ label, value }: { label: string; value: string }): ReactNode {
  return (
    <div className="grid gap-2">
      <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
        Store it now. You won’t be able to see it again.
      </p>
      <div className="flex items-center gap-2 rounded-md border bg-sunken p-2 pl-3">
        <output
          aria-label={label}
          className="min-w-0 flex-1 font-mono text-sm wrap-anywhere select-all"
        >
          {value}
        </output>
        <CopyButton text={value} label={`Copy: ${label}`} />
      </div>
    </div>
  )
}
