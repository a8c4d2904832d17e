import type { ReactNode } from 'react'
import { Modal } from '../ui/modal.tsx'
import { Button } from '../ui/button.tsx'
import { KeyForm } from './key-form.tsx'

interface Props {
  enter: (key: string) => Promise<void>
  signOut: () => void
}

/** Over the page, which keeps all that was typed. */
export function SignInAgain({ enter, signOut }: Props): ReactNode {
  return (
    <Modal
      title="Your session has ended"
      description="Sign in again to go on. Everything you typed is still there."
      open
    >
      <KeyForm enter={enter} />
      <div className="mt-3">
        <Button kind="quiet" onClick={signOut}>
          Leave and sign in as somebody else
        </Button>
      </div>
    </Modal>
  )
}
