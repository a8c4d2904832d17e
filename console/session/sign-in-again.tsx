import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Modal } from '../ui/modal.tsx'
import type { Identity } from './identity.ts'
import type { Enter } from './session.tsx'
import { Ways } from './ways.tsx'

interface Props {
  identity: Identity
  enter: Enter
  signOut: () => void
}

/** A dialog over the page, so that typed text is kept. */
export function SignInAgain({ identity: { person }, enter, signOut }: Props): ReactNode {
  return (
    <Modal
      help={null}
      title="Your session has ended"
      description="Sign in again to continue. Your input is kept."
    >
      <Ways
        enter={enter}
        byKey={person === undefined}
        {...(person === undefined ? {} : { email: person.email })}
      />
      <div className="mt-3">
        <Button kind="quiet" onClick={signOut}>
          Leave this page
        </Button>
      </div>
    </Modal>
  )
}
