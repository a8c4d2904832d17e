import { useMutation } from '@tanstack/react-query'
import { Pause, Play, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Confirm } from './confirm.tsx'
import { Failure } from './failure.tsx'

interface Props {
  name: string
  status: 'active' | 'paused'
  setStatus: (status: 'active' | 'paused') => Promise<void>
  remove: () => Promise<void>
  /** What goes with it when it is deleted. */
  children: ReactNode
}

/** What can be done to a workflow or an agent as a whole. */
export function PauseOrDelete({ name, status, setStatus, remove, children }: Props): ReactNode {
  const [asks, setAsks] = useState(false)
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
      <Button icon={Trash2} onClick={() => setAsks(true)}>
        Delete
      </Button>
      {pause.error !== null && <Failure error={pause.error} />}
      {asks && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete it"
          run={remove}
          onClose={() => setAsks(false)}
        >
          {children} It cannot be undone.
        </Confirm>
      )}
    </>
  )
}
