import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { blanksOf, fillIn, readTemplates, type Template } from '../../data/templates.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Page, WayBack } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'

const templates = readTemplates()

/** Ready-made workflows to start from. */
export function TemplatesScreen(): ReactNode {
  return (
    <Page
      title="Templates"
      about="Ready-made workflows. Create one, then adapt it."
      above={<WayBack to="/workflows" label="Workflows" />}
    >
      <ul aria-label="Templates" className="grid gap-4 md:grid-cols-2">
        {templates.map((template) => (
          <li key={template.id}>
            <Card template={template} />
          </li>
        ))}
      </ul>
    </Page>
  )
}

function Card({ template }: { template: Template }): ReactNode {
  const { title, about, needs, workflow, schedule } = template
  const { muster, rights } = useSession()
  const navigate = useNavigate()
  const refresh = useRefresh(['workflows'], ['schedules'])
  const [filled, setFilled, clear] = useDraft<Record<string, string>>(`template.${template.id}`, {})
  const create = useMutation({
    mutationFn: async () => {
      const { workflow, schedule } = fillIn(template, filled)
      const { id } = await muster.workflows.create(workflow)
      // Paused, so that it can be reviewed before it starts by itself.
      const paused = { ...schedule, workflow_id: id, status: 'paused' as const }
      const planned = schedule && (await muster.schedules.create(paused))
      return { workflowId: id, scheduleId: planned?.id }
    },
    onSuccess: async ({ workflowId, scheduleId }) => {
      clear()
      await refresh()
      await (scheduleId === undefined
        ? navigate({ to: '/workflows/$workflowId', params: { workflowId } })
        : navigate({ to: '/schedules/$scheduleId', params: { scheduleId } }))
    },
  })
  return (
    <article className="panel flex h-full flex-col gap-3 p-4">
      <h2 id={template.id} className="text-base font-semibold">
        {title}
      </h2>
      <p className="text-ink-soft">{about}</p>
      <p className="text-sm text-ink-soft">Needs: {needs}</p>
      <p className="flex flex-wrap gap-1.5">
        {workflow.crew?.map(({ role }) => (
          <Badge key={role} tone="neutral">
            {role}
          </Badge>
        ))}
        {schedule !== undefined && <Badge tone="accent">with a schedule</Badge>}
      </p>
      {create.error !== null && <Failure error={create.error} />}
      {rights.write && (
        <Form className="mt-auto grid gap-3" send={() => create.mutate()}>
          {blanksOf(template).map((blank) => (
            <TextField
              key={blank}
              label={`In place of ${blank}`}
              isOptional
              longest={200}
              value={filled[blank] ?? ''}
              onChange={(value) => setFilled({ ...filled, [blank]: value })}
            />
          ))}
          <p>
            <Button type="submit" isBusy={create.isPending} aria-describedby={template.id}>
              {schedule === undefined ? 'Create workflow' : 'Create workflow and schedule'}
            </Button>
          </p>
        </Form>
      )}
    </article>
  )
}
