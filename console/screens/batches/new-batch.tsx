import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState, type ReactNode } from 'react'
import type { Batch, BatchEstimate } from '../../../sdk/generated.ts'
import { useChosenWorkflow } from '../../data/workflows.ts'
import { ChooseButton } from '../../parts/files/choose-button.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { formatUsd, plural, leftOut } from '../../ui/text/format.ts'

/** Starts a batch from a table, or from files with one run each, with a cost estimate. */
export function NewBatch({ close }: { close: () => void }): ReactNode {
  const { muster } = useSession()
  const navigate = useNavigate()
  const dialog = useDialogForm({
    draft: 'batch.new',
    initial: { workflow: '', key: '', input: '', name: '' },
    unstored: { chosen: [] as readonly File[] },
    refresh: useRefresh(['batches']),
    saved: ({ id }: Batch) => navigate({ to: '/batches/$batchId', params: { batchId: id } }),
  })
  const { set, field } = dialog
  const { chosen, key, input, name } = dialog.form
  const uploads = useRef(new Map<File, Promise<string>>())
  const [upload, setUpload] = useState<string>()
  const { workflowId, options } = useChosenWorkflow(dialog.form.workflow)
  const [first] = chosen
  const type = chosen.length === 1 && first !== undefined ? typeOf(first.name) : undefined
  const fields = {
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(input.trim() !== '' && { input: input.trim() }),
  }
  const table = first !== undefined &&
    type !== undefined && { content: first, type, ...(key.trim() !== '' && { key: key.trim() }) }

  /** Ids of the files, each of which is uploaded only once, even if an estimate came first or is still in progress. */
  const uploadAll = async (): Promise<string[]> => {
    const ids: string[] = []
    try {
      for (const [place, file] of chosen.entries()) {
        setUpload(`Uploading ${place + 1} of ${chosen.length}…`)
        ids.push(await uploadOnce(file))
      }
      return ids
    } finally {
      setUpload(undefined)
    }
  }
  const uploadOnce = (file: File): Promise<string> => {
    const begun = uploads.current.get(file)
    if (begun !== undefined) return begun
    const upload = muster.files.upload(file).then(({ id }) => id)
    uploads.current.set(file, upload)
    upload.catch(() => uploads.current.delete(file))
    return upload
  }
  const estimate = useMutation({
    mutationFn: async (): Promise<BatchEstimate> =>
      table === false
        ? muster.batches.estimate(workflowId, { ...fields, files: await uploadAll() })
        : muster.batches.estimateFromFile(workflowId, table, fields),
  })
  const start = async (): Promise<Batch> => {
    if (table !== false) return muster.batches.createFromFile(workflowId, table, fields)
    return muster.batches.create(workflowId, { ...fields, files: await uploadAll() })
  }
  const take = (files: readonly File[]): void => {
    set({ chosen: files })
    estimate.reset()
  }
  return (
    <FormModal
      help="batches"
      title="New batch"
      dialog={dialog}
      close={close}
      action="Start batch"
      send={start}
      isReady={workflowId !== '' && chosen.length > 0}
    >
      <SelectField label="Workflow" {...field('workflow')} value={workflowId} options={options} />
      <div className="grid gap-1.5">
        <p className="text-sm font-medium text-ink-soft">Items</p>
        <div className="flex flex-wrap items-center gap-3">
          <ChooseButton label="Choose files" take={take} />
          <span className="min-w-0 truncate text-sm text-ink-soft">
            {chosen.length === 1 ? first?.name : chosen.length > 1 && plural(chosen.length, 'file')}
          </span>
        </div>
        <p className="text-xs text-ink-faint">
          {type === 'csv'
            ? 'Each line becomes a run; the columns are the fields of its data.'
            : type === 'jsonl'
              ? 'Each line becomes a run.'
              : chosen.length > 0
                ? 'Each file becomes a run.'
                : 'A CSV or JSON Lines file with one item per line, or documents, one run each.'}
        </p>
      </div>
      {type === 'csv' && (
        <TextField
          label="Key column"
          isOptional
          hint="The column with the items’ keys, such as id."
          {...field('key')}
        />
      )}
      {type !== 'csv' && (
        <TextField
          label="Task"
          isOptional
          hint="For items that have no text, such as: Extract this invoice."
          longest={16_000}
          {...field('input')}
        />
      )}
      <TextField label="Name" isOptional longest={200} {...field('name')} />
      {upload !== undefined && (
        <p role="status" className="text-sm text-ink-soft">
          {upload}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          isBusy={estimate.isPending}
          disabled={chosen.length === 0 || workflowId === ''}
          onClick={() => estimate.mutate()}
        >
          Estimate cost
        </Button>
        {estimate.data !== undefined && <Estimated estimate={estimate.data} />}
      </div>
      {estimate.error !== null && <Failure error={estimate.error} />}
    </FormModal>
  )
}

function Estimated({ estimate }: { estimate: BatchEstimate }): ReactNode {
  const { total, cost_usd_p50: median, cost_usd_p95: high, sampled_runs: runs } = estimate
  return (
    <p role="status" className="text-sm">
      {plural(total, 'item')}:{' '}
      {median === null || high === null
        ? 'no run of this workflow has completed yet, so the cost is not known.'
        : high === 0 && estimate.calls_without_price > 0
          ? `price unknown, as the model of the last ${plural(runs, 'run')} has no price.`
          : `about ${formatUsd(median)}, at most about ${formatUsd(high)}, from the last ${plural(runs, 'run')}.`}
      {leftOut(estimate) !== '' && ` Of these runs, ${leftOut(estimate)}.`}
    </p>
  )
}

function typeOf(name: string): 'csv' | 'jsonl' | undefined {
  if (/\.(csv|tsv)$/i.test(name)) return 'csv'
  return /\.(jsonl|ndjson)$/i.test(name) ? 'jsonl' : undefined
}
