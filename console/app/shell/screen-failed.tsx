import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Failure } from '../../ui/failure.tsx'

/** Shown in place of a screen that failed. Its code may not have loaded, so the page is reloaded; drafts stay. */
export function ScreenFailed({ error }: ErrorComponentProps): ReactNode {
  return (
    <div className="mx-auto max-w-xl p-8">
      <Failure error={error} retry={() => location.reload()} />
    </div>
  )
}
