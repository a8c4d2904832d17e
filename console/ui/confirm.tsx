import { useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Failure } from './failure.tsx'
import { Modal } from './modal.tsx'

interface Props {
  title: string
  /** What will happen, and that it cannot be undone where that is so. */
  children: ReactNode
  action: string
  run: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something is gone; shows why it is not, when it fails. */
export function Confirm({ title, children, action, run, onClose }: Props): ReactNode {
  const [error, setError] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const confirm = async () => {
    setIsBusy(true)
    setError(undefined)
    try {
      await run()
      onClose()
    } catch (error) {
      setError(error)
      setIsBusy(false)
    }
  }
  return (
    <Modal title={title} open onClose={onClose}>
      <div className="text-ink-soft">{children}</div>
      {error !== undefined && (
        <div className="mt-4">
          <Failure error={error} />
        </div>
      )}
      <div className="mt-6 flex justify-end gap-2">
        <Button onClick={onClose}>Keep</Button>
        <Button kind="danger" isBusy={isBusy} onClick={() => void confirm()}>
          {action}
        </Button>
      </div>
    </Modal>
  )
}
