import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Copy, ListTree, MessagesSquare } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Workflow } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Failure } from '../../ui/failure.tsx'
import { PauseOrDelete } from '../../ui/pause-or-delete.tsx'
import { bodyOf, workflowForm } from './form.ts'

/** Pause, delete, and a link to its runs. */
export function WorkflowActions({ workflow }: { workflow: Workflow }): ReactNode {
  const { muster, rights } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { id, name, status } = workflow
  const copy = useMutation({
    mutationFn: () => {
      const { description, ...body } = bodyOf(workflowForm(workflow))
      const copied = { ...body, thread: workflow.thread, name: `Copy of ${name}`.slice(0, 120) }
      return muster.workflows.create(description == null ? copied : { ...copied, description })
    },
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: ['workflows'] })
      await navigate({ to: '/workflows/$workflowId', params: { workflowId: made.id } })
    },
  })
  return (
    <>
      <Link to="/runs" search={{ workflow: id }} className={buttonLook()}>
        <ListTree size={15} aria-hidden="true" /> Runs
      </Link>
      {rights.write && status === 'active' && <Chat workflow={workflow} />}
      {rights.write && (
        <Button icon={Copy} isBusy={copy.isPending} onClick={() => copy.mutate()}>
          Duplicate
        </Button>
      )}
      {copy.error !== null && <Failure error={copy.error} />}
      {rights.write && (
        <PauseOrDelete
          name={name}
          status={status}
          setStatus={async (status) => {
            queries.setQueryData(['workflow', id], await muster.workflows.update(id, { status }))
            await queries.invalidateQueries({ queryKey: ['workflows'] })
          }}
          remove={async () => {
            await muster.workflows.delete(id)
            await queries.invalidateQueries({ queryKey: ['workflows'] })
            await navigate({ to: '/workflows' })
          }}
        >
          Its memory is deleted with it. Its runs stay readable by their ids.
        </PauseOrDelete>
      )}
    </>
  )
}

/** Opens a new thread; asks first if the workflow takes none yet. */
function Chat({ workflow: { id, thread } }: { workflow: Workflow }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [asks, setAsks] = useState(false)
  const open = async (): Promise<void> => {
    const { id: threadId } = await muster.threads.create({ workflow_id: id })
    await navigate({ to: '/threads/$threadId', params: { threadId } })
  }
  const chat = useMutation({ mutationFn: open })
  return (
    <>
      <Button
        icon={MessagesSquare}
        isBusy={chat.isPending}
        onClick={() => (thread === null ? setAsks(true) : chat.mutate())}
      >
        Chat
      </Button>
      {chat.error !== null && <Failure error={chat.error} />}
      {asks && (
        <Confirm
          title="Turn on threads?"
          action="Turn on threads"
          wayOut="Cancel"
          isHarmless
          run={async () => {
            queries.setQueryData(
              ['workflow', id],
              await muster.workflows.update(id, { thread: {} }),
            )
            await open()
          }}
          onClose={() => setAsks(false)}
        >
          The workflow then takes messages of conversations. The first agent of each turn gets the
          earlier ones with the message. This makes a new version of the workflow.
        </Confirm>
      )}
    </>
  )
}
