import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Failure } from '../../ui/failure.tsx'

/** A screen that broke leaves the others whole. Its code may be what did not load, so all is loaded again; drafts stay. */
export function ScreenFailed({ error }: ErrorComponentProps): ReactNode {
  return (
    <div className="mx-auto max-w-xl p-8">
      <Failure error={error} retry={() => location.reload()} />
    </div>
  )
}
