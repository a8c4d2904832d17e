import type { ReactNode } from 'react'

/** Muster's logo. */
export function Mark({ className }: { className?: string }): ReactNode {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-accent-fill" />
      <path
        d="M8 22V11l8 7 8-7v11"
        className="fill-none stroke-accent-ink"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
