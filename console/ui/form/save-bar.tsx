import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Failure } from '../failure.tsx'
import { FootBar } from '../foot-bar.tsx'
import { Ago } from '../text/time.tsx'

interface Props {
  /** Label of the button, such as `Save`. */
  action: string
  isBusy: boolean
  error: unknown
  save: () => void
  discard?: () => void
  /** Another way to save. */
  also?: { action: string; isBusy: boolean; run: () => void } | undefined
  children?: ReactNode
}

/** The bar of a changed form: saves or discards all changes. */
export function SaveBar(props: Props): ReactNode {
  const { action, isBusy, error, save, discard, also, children } = props
  return (
    <FootBar>
      {children}
      {error !== null && error !== undefined && <Failure error={error} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <span className="mr-auto pl-1 text-sm text-ink-soft">Not saved yet</span>
        {discard !== undefined && <Button onClick={discard}>Discard</Button>}
        {also !== undefined && (
          <Button isBusy={also.isBusy} disabled={isBusy} onClick={also.run}>
            {also.action}
          </Button>
        )}
        <Button kind="primary" isBusy={isBusy} disabled={also?.isBusy === true} onClick={save}>
          {action}
        </Button>
      </div>
    </FootBar>
  )
}

/** Notice that another person saved after this draft was started. */
export function StaleNotice({
  changedAt,
  discard,
}: {
  changedAt: string
  discard: () => void
}): ReactNode {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 text-sm text-warn">
      <p className="min-w-48 flex-1">
        Someone else changed this <Ago at={changedAt} />, after you began. Saving puts your text in
        place of theirs.
      </p>
      <Button onClick={discard}>View their changes</Button>
    </div>
  )
}
