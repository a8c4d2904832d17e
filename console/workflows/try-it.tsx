import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Workflow } from '../../sdk/generated.ts'
import { useSession } from '../session/session.tsx'
import { Form } from '../ui/form.tsx'
import { Button } from '../ui/button.tsx'
import { useDraft } from '../ui/draft.ts'
import { Failure } from '../ui/failure.tsx'
import { TextArea } from '../ui/field.tsx'
import { ObjectField, objectOf } from '../ui/object-field.tsx'
import { Section } from '../ui/page.tsx'

/** Runs it at once, as it was saved last, and goes to where one can watch. */
export function TryIt({ workflow }: { workflow: Workflow }): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [input, setInput] = useDraft(`try.${workflow.id}`, '')
  const [data, setData] = useDraft(`try.data.${workflow.id}`, '')
  const hasInput = input.trim() !== ''
  const start = useMutation({
    mutationFn: () =>
      muster.runs.create(workflow.id, {
        ...(hasInput ? { input } : {}),
        ...(data.trim() === '' ? {} : { data: objectOf(data) }),
      }),
    onSuccess: async ({ id }) => {
      await navigate({ to: '/runs/$runId', params: { runId: id } })
      await queries.invalidateQueries({ queryKey: ['runs'] })
    },
  })
  const isPaused = workflow.status === 'paused'
  return (
    <Section title="Try it">
      <Form className="panel grid gap-3 p-4" send={() => start.mutate()}>
        <TextArea
          label="Input of the run"
          isLabelHidden
          placeholder="The text that the crew works on"
          value={input}
          onChange={setInput}
          maxLength={16_000}
          rows={3}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) start.mutate()
          }}
        />
        <ObjectField
          label="Data of the run"
          hint={
            workflow.input_schema === null
              ? 'A JSON object beside the text or in its place.'
              : `A JSON object with ${namesOf(workflow.input_schema) || 'what the schema asks for'}.`
          }
          value={data}
          onChange={setData}
        />
        {start.error !== null && <Failure error={start.error} />}
        <div className="flex items-center gap-3">
          <Button
            type="submit"
            kind="primary"
            icon={Play}
            shortcut="⌘↵"
            isBusy={start.isPending}
            disabled={(!hasInput && data.trim() === '') || isPaused}
          >
            Run and watch
          </Button>
          {isPaused && (
            <span className="text-sm text-ink-soft">It is paused. Activate it first.</span>
          )}
        </div>
      </Form>
    </Section>
  )
}

/** The fields that a schema names. */
function namesOf(schema: Record<string, unknown>): string {
  return Object.keys((schema['properties'] as object | undefined) ?? {}).join(', ')
}
