import { useState, type ComponentProps, type ReactNode } from 'react'
import { Button } from '../button.tsx'

interface Props extends Pick<
  ComponentProps<typeof Button>,
  'kind' | 'icon' | 'aria-label' | 'aria-describedby'
> {
  label: string
  /** The form, in a dialog that `close` closes. */
  children: (close: () => void) => ReactNode
}

/** A button that opens a form. */
export function OpenForm({ label, children, ...look }: Props): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...look} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  )
}
