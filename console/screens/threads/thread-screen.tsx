import { useMutation } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { CircleStop } from 'lucide-react'
import { useLayoutEffect, useRef, type ReactNode } from 'react'
import type { Thread } from '../../../sdk/generated.ts'
import { isOpen, useThread, useThreadMessages } from '../../data/threads.ts'
import { useWorkflow, useWorkflowNames } from '../../data/workflows.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Found } from '../../ui/found.tsx'
import { Page, WayBack } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { Loaded } from '../../ui/states.tsx'
import { formatUsd, plural } from '../../ui/text/format.ts'
import { LiveAnswer, Message } from './messages.tsx'
import { ThreadActions } from './thread-actions.tsx'
import { useLiveThread } from './use-live.ts'
import { Write } from './write.tsx'

/** One conversation: its messages, the answer as it is written, and a field for the next message. */
export function ThreadScreen(): ReactNode {
  const { threadId } = useParams({ from: '/threads/$threadId' })
  const query = useThread(threadId)
  return (
    <Found query={query} tab="Thread" lines={10}>
      {(thread) => <Shown key={thread.id} thread={thread} />}
    </Found>
  )
}

function Shown({ thread }: { thread: Thread }): ReactNode {
  const { rights } = useSession()
  const { id, workflow_id: workflowId, title, key, status } = thread
  const nameOf = useWorkflowNames([thread])
  const workflow = useWorkflow(workflowId)
  return (
    <Page
      title={title ?? key ?? `Chat with ${nameOf(workflowId)}`}
      tab="Thread"
      above={
        <WayBack to="/threads" label="Threads">
          {status === 'closed' && <Badge tone="neutral">Closed</Badge>}
        </WayBack>
      }
      about={
        <p className="flex flex-wrap gap-x-3">
          <Link to="/workflows/$workflowId" params={{ workflowId }} className="link">
            {nameOf(workflowId)}
          </Link>
          <span>{plural(thread.turns, 'turn')}</span>
          <span>{formatUsd(thread.cost_usd)}</span>
        </p>
      }
      actions={rights.write && <ThreadActions thread={thread} />}
    >
      <Conversation id={id} waiting={thread.waiting} />
      {rights.write && status === 'open' && workflow.data !== undefined && (
        <Write thread={thread} workflow={workflow.data} />
      )}
    </Page>
  )
}

function Conversation({ id, waiting }: { id: string; waiting: string | null }): ReactNode {
  const { rights } = useSession()
  const query = useThreadMessages(id)
  const live = useLiveThread(id)
  const end = useRef<HTMLDivElement>(null)
  const all = (query.data ?? []).toReversed()
  const running = all.find((one) => one.status === 'running' || one.status === 'waiting_input')
  const newest = all.at(-1)?.id
  useLayoutEffect(() => scrollToEnd(end.current), [newest])
  return (
    <div className="mb-4 grid gap-4">
      {query.hasNextPage && (
        <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show earlier messages
        </Button>
      )}
      <Loaded query={query}>
        {() => (
          <ol aria-label="Messages" className="grid gap-4">
            {all.map((message) => (
              <Message key={message.id} message={message} />
            ))}
            {running?.status === 'running' && running.run_id !== null && (
              <LiveAnswer
                live={live?.turn === running.turn ? live : undefined}
                runId={running.run_id}
              />
            )}
          </ol>
        )}
      </Loaded>
      {waiting !== null && (
        <p
          role="status"
          className="flex flex-wrap items-center gap-3 rounded-md bg-warn-soft px-4 py-3 text-warn"
        >
          The turn waits for a person. Messages that you write meanwhile wait, too.
          <Link to="/inbox/$pendingId" params={{ pendingId: waiting }} className={buttonLook()}>
            View request
          </Link>
        </p>
      )}
      {running !== undefined && rights.write && (
        <Stop id={id} hasMore={all.some((one) => one.status === 'queued' && isOpen(one))} />
      )}
      <div ref={end} />
    </div>
  )
}

function Stop({ id, hasMore }: { id: string; hasMore: boolean }): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['thread-messages', id], ['thread', id])
  const stop = useMutation({
    mutationFn: (queued: 'keep' | 'cancel') => muster.threads.stop(id, { queued }),
    onSettled: refresh,
  })
  return (
    <div className="flex flex-wrap gap-2">
      <Button icon={CircleStop} isBusy={stop.isPending} onClick={() => stop.mutate('keep')}>
        Stop turn
      </Button>
      {hasMore && (
        <Button isBusy={stop.isPending} onClick={() => stop.mutate('cancel')}>
          Stop all turns
        </Button>
      )}
      {stop.error !== null && <Failure error={stop.error} />}
    </div>
  )
}

/** Not by `scrollIntoView`, from where Tab would go on. */
function scrollToEnd(place: HTMLElement | null): void {
  let one = place?.parentElement ?? null
  while (one !== null && !/auto|scroll/.test(getComputedStyle(one).overflowY))
    one = one.parentElement
  const scrolled = one ?? document.scrollingElement
  if (scrolled !== null) scrolled.scrollTop = scrolled.scrollHeight
}
