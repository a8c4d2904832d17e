import { modKey } from '../../ui/mod-key.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { Fragment, useRef, type ReactNode } from 'react'
import type { CreateRun, Workflow } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { Form } from '../../ui/form/form.tsx'
import { useFirstFault } from '../../ui/form/first-fault.ts'
import { Section } from '../../ui/page.tsx'
import { useDataPart } from './data-part.tsx'
import { useFilesPart } from './files-part.tsx'
import type { StartPart, Tried } from './part.ts'
import { useTextPart } from './text-part.tsx'

interface Props {
  workflow: Workflow
  /** Versions to run instead of the live ones. */
  tried?: Tried
  /**
   * If the page has unsaved changes: saves them as a draft and returns its number; undefined if
   * that failed.
   */
  saveDraft?: () => Promise<number | undefined>
}

/** Starts the workflow as the page shows it, and opens the run's page. */
export function StartForm({ workflow, tried, saveDraft }: Props): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const form = useRef<HTMLFormElement>(null)
  const lookForFault = useFirstFault(form)
  const hasSchema = workflow.input_schema !== null
  const text = useTextPart(workflow)
  const data = useDataPart(workflow)
  const files = useFilesPart(workflow)
  // The required part comes first.
  const parts: StartPart[] = hasSchema ? [data, text, files] : [text, files, data]
  const start = useMutation({
    // Subscribes before the start, so that the run's page shows its first step from the first word.
    mutationFn: async (body: CreateRun) => {
      // Runs exactly the version that the page shows.
      const draft = await saveDraft?.()
      if (saveDraft !== undefined && draft === undefined) return undefined
      const shown = draft === undefined ? tried : { version: draft }
      return muster.runs.create(workflow.id, { ...body, ...shown }, { deltas: true })
    },
    onSuccess: async (run) => {
      if (run === undefined) return
      await navigate({ to: '/runs/$runId', params: { runId: run.id } })
      await queries.invalidateQueries({ queryKey: ['runs'] })
    },
    onError: (error) => {
      const fault = faultOf(error)
      if (fault !== undefined) for (const part of parts) part.blame(fault)
      lookForFault()
    },
  })
  const whyNot = reasonAgainst(workflow, parts)
  const canStart = whyNot === undefined
  const submit = () => {
    // A key that is held down repeats the event.
    if (!canStart || start.isPending) return
    const bodies = parts.map((part) => part.read())
    if (bodies.includes(undefined)) lookForFault()
    else start.mutate(Object.assign({}, ...bodies) as CreateRun)
  }
  return (
    <Section title="Run">
      <Form
        ref={form}
        aria-label="Start a run"
        className="panel grid gap-4 p-4"
        noValidate
        send={submit}
      >
        {parts.map(({ name, view }) => (
          <Fragment key={name}>{view}</Fragment>
        ))}
        {start.error !== null && <Failure error={start.error} />}
        <div className="flex items-center gap-3">
          <Button
            type="submit"
            kind="primary"
            icon={Play}
            shortcut={modKey('↵')}
            isBusy={start.isPending}
            disabled={!canStart}
          >
            {saveDraft === undefined ? 'Run and watch' : 'Run as draft'}
          </Button>
          {whyNot !== undefined && whyNot !== '' && (
            <span role="status" className="text-sm text-ink-soft">
              {whyNot}
            </span>
          )}
        </div>
      </Form>
    </Section>
  )
}

/** Why the run cannot start now; undefined if it can. */
function reasonAgainst({ status }: Workflow, parts: readonly StartPart[]): string | undefined {
  if (status === 'paused') return 'It is paused. Activate it first.'
  if (parts.some(({ isBusy }) => isBusy === true)) return 'Files are still uploading.'
  if (parts.some(({ isGiven }) => isGiven)) return undefined
  return parts.find(({ lacks }) => lacks !== undefined)?.lacks ?? ''
}
