import { useMutation } from '@tanstack/react-query'
import { Pause, Play, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { ConfirmButton } from './confirm.tsx'
import { Failure } from './failure.tsx'

interface Props {
  name: string
  status: 'active' | 'paused'
  setStatus: (status: 'active' | 'paused') => Promise<void>
  remove: () => Promise<void>
  /** The consequences of deletion. */
  children: ReactNode
}

/** Buttons to pause or delete a workflow or an agent. */
export function PauseOrDelete({ name, status, setStatus, remove, children }: Props): ReactNode {
  const isPaused = status === 'paused'
  const pause = useMutation({ mutationFn: () => setStatus(isPaused ? 'active' : 'paused') })
  return (
    <>
      <Button
        icon={isPaused ? Play : Pause}
        isBusy={pause.isPending}
        onClick={() => pause.mutate()}
      >
        {isPaused ? 'Activate' : 'Pause'}
      </Button>
      <ConfirmButton
        label="Delete"
        icon={Trash2}
        title={`Delete ${name}?`}
        action="Delete it"
        wayOut="Cancel"
        run={remove}
      >
        {children} It cannot be undone.
      </ConfirmButton>
      {pause.error !== null && <Failure error={pause.error} />}
    </>
  )
}
