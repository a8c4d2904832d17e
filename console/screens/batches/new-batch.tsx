import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState, type ReactNode } from 'react'
import type { Batch, BatchEstimate } from '../../../sdk/generated.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { ChooseButton } from '../../parts/files/choose-button.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { formatUsd, plural, leftOut } from '../../ui/text/format.ts'

/** Starts a batch from a table, or from files with one run each, with a cost estimate. */
export function NewBatch({ close }: { close: () => void }): ReactNode {
  const { muster } = useSession()
  const navigate = useNavigate()
  const refresh = useRefresh(['batches'])
  const { data: workflows = [] } = useWorkflows()
  const draft = useFormDraft('batch.new')
  const [workflow, setWorkflow] = draft.state('workflow', '')
  const [chosen, setChosen] = draft.unstored<readonly File[]>('chosen', [])
  const [key, setKey] = draft.state('key', '')
  const [input, setInput] = draft.state('input', '')
  const [name, setName] = draft.state('name', '')
  const uploads = useRef(new Map<File, Promise<string>>())
  const [upload, setUpload] = useState<string>()
  const workflowId = workflow === '' ? (workflows[0]?.id ?? '') : workflow
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
    for (const [place, file] of chosen.entries()) {
      setUpload(`Uploading ${place + 1} of ${chosen.length}…`)
      ids.push(await uploadOnce(file))
    }
    setUpload(undefined)
    return ids
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
    onError: () => setUpload(undefined),
  })
  const start = useMutation({
    mutationFn: async (): Promise<Batch> =>
      table === false
        ? muster.batches.create(workflowId, { ...fields, files: await uploadAll() })
        : muster.batches.createFromFile(workflowId, table, fields),
    onError: () => setUpload(undefined),
    onSuccess: async ({ id }) => {
      await refresh()
      draft.discard()
      await navigate({ to: '/batches/$batchId', params: { batchId: id } })
    },
  })
  const take = (files: readonly File[]): void => {
    setChosen(files)
    estimate.reset()
  }
  return (
    <FormModal
      help="batches"
      title="New batch"
      draft={draft}
      close={close}
      action="Start batch"
      sending={start}
      error={start.error}
      isReady={workflowId !== '' && chosen.length > 0}
    >
      <SelectField
        label="Workflow"
        value={workflowId}
        onChange={setWorkflow}
        options={workflows.map((one) => ({ value: one.id, label: one.name }))}
      />
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
          value={key}
          onChange={setKey}
        />
      )}
      {type !== 'csv' && (
        <TextField
          label="Task"
          isOptional
          hint="For items that have no text, such as: Extract this invoice."
          longest={16_000}
          value={input}
          onChange={setInput}
        />
      )}
      <TextField label="Name" isOptional longest={200} value={name} onChange={setName} />
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
