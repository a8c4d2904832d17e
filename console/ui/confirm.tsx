import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type ComponentProps, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Failure } from './failure.tsx'
import { Modal } from './modal.tsx'

interface Props {
  title: string
  /** The consequences, and whether they can be undone. */
  children: ReactNode
  /** Label of the confirming button. */
  action: string
  /** Label of the cancelling button. */
  wayOut: string
  /** Nothing is deleted. */
  isHarmless?: boolean
  run: () => Promise<unknown>
  onClose: () => void
}

/** A confirmation dialog; shows the error if the action fails. */
export function Confirm(props: Props): ReactNode {
  const { title, children, action, wayOut, isHarmless = false, run, onClose } = props
  const { mutate, isPending, error } = useMutation({ mutationFn: run, onSuccess: onClose })
  const leave = useRef<HTMLButtonElement>(null)
  return (
    // Cannot be closed while the action is in progress.
    <Modal title={title} help={null} {...(isPending ? {} : { onClose })} initialFocus={leave}>
      <div className="text-ink-soft">{children}</div>
      {error !== null && (
        <div className="mt-4">
          <Failure error={error} />
        </div>
      )}
      <div className="mt-6 flex flex-wrap justify-end gap-2">
        <Button ref={leave} disabled={isPending} onClick={onClose}>
          {wayOut}
        </Button>
        <Button
          kind={isHarmless ? 'primary' : 'danger'}
          isBusy={isPending}
          onClick={() => mutate()}
        >
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

/** A button with a confirmation dialog. */
export function ConfirmButton({
  label,
  title,
  children,
  action,
  wayOut,
  isHarmless = false,
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
        <Confirm {...{ title, action, wayOut, isHarmless, run }} onClose={() => setAsks(false)}>
          {children}
        </Confirm>
      )}
    </>
  )
}
