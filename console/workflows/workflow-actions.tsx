import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ListTree, Pause, Play, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Workflow } from '../../sdk/generated.ts'
import { useSession } from '../session/session.tsx'
import { Button, buttonLook } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'

/** Pause, delete, and the way to its runs. */
export function WorkflowActions({ workflow }: { workflow: Workflow }): ReactNode {
  const { muster, rights } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [asks, setAsks] = useState(false)
  const { id, name, status } = workflow
  const pause = useMutation({
    mutationFn: () =>
      muster.workflows.update(id, { status: status === 'paused' ? 'active' : 'paused' }),
    onSuccess: async (changed) => {
      queries.setQueryData(['workflow', id], changed)
      await queries.invalidateQueries({ queryKey: ['workflows'] })
    },
  })
  const remove = async () => {
    await muster.workflows.delete(id)
    await queries.invalidateQueries({ queryKey: ['workflows'] })
    await navigate({ to: '/workflows' })
  }
  return (
    <>
      <Link to="/runs" search={{ workflow: id }} className={buttonLook()}>
        <ListTree size={15} aria-hidden="true" /> Runs
      </Link>
      {rights.write && (
        <>
          <Button
            icon={status === 'paused' ? Play : Pause}
            isBusy={pause.isPending}
            onClick={() => pause.mutate()}
          >
            {status === 'paused' ? 'Activate' : 'Pause'}
          </Button>
          <Button icon={Trash2} onClick={() => setAsks(true)}>
            Delete
          </Button>
        </>
      )}
      {pause.error !== null && <Failure error={pause.error} />}
      {asks && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete it"
          run={remove}
          onClose={() => setAsks(false)}
        >
          Its memory is deleted with it. Its runs stay readable by their ids. It cannot be undone.
        </Confirm>
      )}
    </>
  )
}
