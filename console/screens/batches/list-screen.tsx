import { Link } from '@tanstack/react-router'
import { Layers, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Batch } from '../../../sdk/generated.ts'
import { useBatches } from '../../data/batches.ts'
import { useWorkflowNames } from '../../data/workflows.ts'
import { useSession } from '../../session/session.tsx'
import { rowLook } from '../../ui/list.tsx'
import { OpenForm } from '../../ui/form/open-form.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { formatCost } from '../../ui/text/format.ts'
import { Ago } from '../../ui/text/time.tsx'
import { BatchState, Progress } from './batch-state.tsx'
import { NewBatch } from './new-batch.tsx'

export function BatchesScreen(): ReactNode {
  const { rights } = useSession()
  const query = useBatches()
  const nameOf = useWorkflowNames(query.data ?? [])
  const create = rights.write && (
    <OpenForm kind="primary" icon={Plus} label="New batch">
      {(close) => <NewBatch close={close} />}
    </OpenForm>
  )
  return (
    <ResourceList
      title="Batches"
      about="One workflow run on many inputs, one run each."
      actions={create}
      query={query}
      textOf={(one) => [one.name, nameOf(one.workflow_id)].join(' ')}
      empty={{
        icon: Layers,
        title: 'No batches yet',
        help: 'batches',
        text: 'Upload a CSV file or documents: each line or file becomes a run.',
      }}
    >
      {(batch) => <Row batch={batch} workflow={nameOf(batch.workflow_id)} />}
    </ResourceList>
  )
}

function Row({ batch, workflow }: { batch: Batch; workflow: string }): ReactNode {
  const { id, name, total, completed, failed, cancelled } = batch
  const ended = completed + failed + cancelled
  return (
    <Link to="/batches/$batchId" params={{ batchId: id }} className={rowLook}>
      <span className="min-w-0 flex-1 basis-56">
        <span className="block truncate font-medium">{name ?? workflow}</span>
        <span className="block truncate text-sm text-ink-soft">
          {name === null ? '' : `${workflow} · `}
          <Ago at={batch.created_at} />
        </span>
      </span>
      <span className="grid gap-1 text-sm text-ink-soft tabular-nums max-sm:basis-full sm:w-48">
        {ended} of {total}
        <Progress batch={batch} />
      </span>
      <span className="text-sm text-ink-soft tabular-nums sm:w-20 sm:text-right">
        {formatCost(batch)}
      </span>
      <span className="text-sm sm:w-44">
        <BatchState batch={batch} />
      </span>
    </Link>
  )
}
