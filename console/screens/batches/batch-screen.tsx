import { useMutation } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { CircleStop, Download, ListTree, RotateCcw } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Batch } from '../../../sdk/generated.ts'
import { useBatch } from '../../data/batches.ts'
import { useWorkflowNames } from '../../data/workflows.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Found } from '../../ui/found.tsx'
import { Page, WayBack } from '../../ui/page.tsx'
import { saveBlob } from '../../ui/save-blob.ts'
import { formatCost, formatCount, leftOut, plural } from '../../ui/text/format.ts'
import { Ago } from '../../ui/text/time.tsx'
import { BatchState, itemStates, outcomesOf, Progress } from './batch-state.tsx'
import { Items } from './items.tsx'

/** One batch: its progress, items and results. */
export function BatchScreen(): ReactNode {
  const { batchId } = useParams({ from: '/batches/$batchId' })
  const query = useBatch(batchId)
  return (
    <Found query={query} tab="Batch" lines={8}>
      {(batch) => <Shown batch={batch} />}
    </Found>
  )
}

function Shown({ batch }: { batch: Batch }): ReactNode {
  const nameOf = useWorkflowNames([batch])
  const { workflow_id: workflowId, name, held, created_by: by } = batch
  return (
    <Page
      title={name ?? `Batch of ${nameOf(workflowId)}`}
      tab="Batch"
      above={
        <WayBack to="/batches" label="Batches">
          <BatchState batch={batch} />
        </WayBack>
      }
      about={
        <p className="flex flex-wrap gap-x-3">
          <Link to="/workflows/$workflowId" params={{ workflowId }} className="link">
            {nameOf(workflowId)}
          </Link>
          <span>
            started <Ago at={batch.created_at} /> by {by.name}
          </span>
        </p>
      }
      actions={<Actions batch={batch} />}
    >
      {held !== null && (
        <p role="note" className="mb-6 rounded-md bg-warn-soft px-4 py-3 text-warn">
          No further item can start: {held.replace(/^Cannot [^:]*: /, '')}. It goes on by itself.
        </p>
      )}
      <Figures batch={batch} />
      <Items batch={batch} />
    </Page>
  )
}

function Figures({ batch }: { batch: Batch }): ReactNode {
  const counts = outcomesOf(batch)
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => ({ name: itemStates[state].word, value: formatCount(count) }))
  const figures = [...counts, { name: 'Cost', value: formatCost(batch) }]
  const missing = leftOut(batch)
  return (
    <div className="panel mb-6 grid gap-3 px-4 py-3">
      <Progress batch={batch} />
      <dl className="flex flex-wrap gap-x-8 gap-y-2 text-sm">
        {figures.map(({ name, value }) => (
          <div key={name}>
            <dt className="text-ink-soft">{name}</dt>
            <dd className="text-base font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {missing !== '' && <p className="text-sm text-ink-soft">{missing}.</p>}
    </div>
  )
}

function Actions({ batch }: { batch: Batch }): ReactNode {
  const { id, status, failed, queued, running, waiting } = batch
  const { muster, rights } = useSession()
  const [asks, setAsks] = useState(false)
  const refresh = useRefresh(['batch', id], ['batches'], ['batch-items', id])
  const retry = useMutation({
    mutationFn: () => muster.batches.retry_failed(id),
    onSettled: refresh,
  })
  const save = useMutation({
    mutationFn: async (type: 'csv' | 'jsonl') =>
      saveBlob(await (await muster.batches.results(id, { type })).blob(), `${id}.${type}`),
  })
  const left = queued + running + waiting
  return (
    <>
      {(['csv', 'jsonl'] as const).map((type) => (
        <Button
          key={type}
          icon={Download}
          isBusy={save.isPending && save.variables === type}
          onClick={() => save.mutate(type)}
        >
          {type === 'csv' ? 'CSV' : 'JSON Lines'}
        </Button>
      ))}
      <Link to="/runs" search={{ tag: [`batch:${id}`] }} className={buttonLook()}>
        <ListTree size={15} aria-hidden="true" /> Runs
      </Link>
      {rights.write && failed > 0 && status !== 'cancelling' && (
        <Button icon={RotateCcw} isBusy={retry.isPending} onClick={() => retry.mutate()}>
          Retry {formatCount(failed)} failed
        </Button>
      )}
      {rights.write && status === 'running' && (
        <Button icon={CircleStop} onClick={() => setAsks(true)}>
          Cancel
        </Button>
      )}
      {asks && (
        <Confirm
          title="Cancel the batch?"
          action="Cancel batch"
          wayOut="Let it go on"
          run={async () => {
            await muster.batches.cancel(id)
            await refresh()
          }}
          onClose={() => setAsks(false)}
        >
          {plural(left, 'item')} will not run to the end. Results so far stay.
        </Confirm>
      )}
      {(retry.error ?? save.error) !== null && <Failure error={retry.error ?? save.error} />}
    </>
  )
}
