import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type ComponentProps, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Failure } from './failure.tsx'
import { Modal } from './modal.tsx'

interface Props {
  title: string
  /** What will happen, and that it cannot be undone where that is so. */
  children: ReactNode
  /** What the button says that does it. */
  action: string
  /** What the one says that leaves all as it is. */
  wayOut: string
  /** Nothing is gone by it. */
  isHarmless?: boolean
  run: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something is done; shows why it is not, when it fails. */
export function Confirm(props: Props): ReactNode {
  const { title, children, action, wayOut, isHarmless = false, run, onClose } = props
  const { mutate, isPending, error } = useMutation({ mutationFn: run, onSuccess: onClose })
  const leave = useRef<HTMLButtonElement>(null)
  return (
    // What is on its way is not kept from being done by a dialog that goes.
    <Modal title={title} {...(isPending ? {} : { onClose })} initialFocus={leave}>
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
  extends
    Omit<Props, 'onClose' | 'isHarmless'>,
    Omit<ComponentProps<typeof Button>, keyof Props | 'onClick'> {
  label: string
}

/** A button that asks first. */
export function ConfirmButton({
  label,
  title,
  children,
  action,
  wayOut,
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
        <Confirm {...{ title, action, wayOut, run }} onClose={() => setAsks(false)}>
          {children}
        </Confirm>
      )}
    </>
  )
}
