import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Failure } from '../ui/failure.tsx'

/** A screen that broke leaves the others whole. */
export function ScreenFailed({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <div className="mx-auto max-w-xl p-8">
      <Failure error={error} retry={reset} />
    </div>
  )
}
