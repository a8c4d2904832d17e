import { useState, type ComponentProps, type ReactNode } from 'react'
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
    <Modal title={title} onClose={onClose}>
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

interface ButtonProps
  extends Omit<Props, 'onClose'>, Omit<ComponentProps<typeof Button>, keyof Props | 'onClick'> {
  label: string
}

/** A button that asks first. */
export function ConfirmButton({
  label,
  title,
  children,
  action,
  run,
  ...rest
}: ButtonProps): ReactNode {
  const [asks, setAsks] = useState(false)
  return (
    <>
      <Button {...rest} onClick={() => setAsks(true)}>
        {label}
      </Button>
      {asks && (
        <Confirm title={title} action={action} run={run} onClose={() => setAsks(false)}>
          {children}
        </Confirm>
      )}
    </>
  )
}
