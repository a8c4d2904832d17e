import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Thread } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Failure } from '../../ui/failure.tsx'

/** Close or open, and delete. */
export function ThreadActions({ thread }: { thread: Thread }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { id, status } = thread
  const change = useMutation({
    mutationFn: (next: Thread['status']) => muster.threads.update(id, { status: next }),
    onSuccess: async (changed) => {
      queries.setQueryData(['thread', id], changed)
      await queries.invalidateQueries({ queryKey: ['threads'] })
    },
  })
  return (
    <>
      <Button
        isBusy={change.isPending}
        onClick={() => change.mutate(status === 'open' ? 'closed' : 'open')}
      >
        {status === 'open' ? 'Close thread' : 'Reopen thread'}
      </Button>
      <ConfirmButton
        icon={Trash2}
        label="Delete"
        title="Delete the thread?"
        action="Delete thread"
        wayOut="Keep it"
        run={async () => {
          await muster.threads.delete(id)
          await queries.invalidateQueries({ queryKey: ['threads'] })
          await navigate({ to: '/threads' })
        }}
      >
        Its messages and the runs of its turns are deleted with it. This cannot be undone.
      </ConfirmButton>
      {change.error !== null && <Failure error={change.error} />}
    </>
  )
}
