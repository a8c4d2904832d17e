import { Link } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Thread } from '../../../sdk/generated.ts'
import { useThreads } from '../../data/threads.ts'
import { useWorkflowNames } from '../../data/workflows.ts'
import { ResourceList } from '../../parts/resource-list.tsx'
import { rowLook } from '../../ui/list.tsx'
import { Badge } from '../../ui/status.tsx'
import { formatUsd, plural } from '../../ui/text/format.ts'
import { Ago } from '../../ui/text/time.tsx'

export function ThreadsScreen(): ReactNode {
  const query = useThreads()
  const nameOf = useWorkflowNames(query.data ?? [])
  return (
    <ResourceList
      title="Threads"
      about="Conversations with workflows."
      query={query}
      textOf={(one) => [one.title, one.key, nameOf(one.workflow_id)].join(' ')}
      empty={{
        icon: MessagesSquare,
        title: 'No threads yet',
        help: 'threads',
        text: 'Open a workflow and choose Chat.',
      }}
    >
      {(thread) => <Row thread={thread} workflow={nameOf(thread.workflow_id)} />}
    </ResourceList>
  )
}

function Row({ thread, workflow }: { thread: Thread; workflow: string }): ReactNode {
  const { id, title, key, turns, waiting, status } = thread
  return (
    <Link to="/threads/$threadId" params={{ threadId: id }} className={rowLook}>
      <span className="min-w-0 flex-1 basis-56">
        <span className="block truncate font-medium">{title ?? key ?? 'New thread'}</span>
        <span className="block truncate text-sm text-ink-soft">
          {workflow} · <Ago at={thread.updated_at} />
        </span>
      </span>
      <span className="text-sm text-ink-soft tabular-nums sm:w-24">{plural(turns, 'turn')}</span>
      <span className="text-sm text-ink-soft tabular-nums sm:w-20 sm:text-right">
        {formatUsd(thread.cost_usd)}
      </span>
      <span className="text-sm sm:w-36">
        {waiting !== null ? (
          <Badge tone="warn">Waiting for a person</Badge>
        ) : (
          status === 'closed' && <Badge tone="neutral">Closed</Badge>
        )}
      </span>
    </Link>
  )
}
