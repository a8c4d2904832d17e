import { Link } from '@tanstack/react-router'
import { ChevronRight, Plus, Workflow as Sign } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Run, Usage, Workflow } from '../../../sdk/generated.ts'
import { demoModel } from '../../data/models.ts'
import { useGlance } from '../../data/runs/list.ts'
import { RunStatus } from '../../parts/runs/run-status.tsx'
import { useSession } from '../../session/session.tsx'
import { useUsage } from '../../data/usage.ts'
import { daysUntil } from '../../parts/usage/view.ts'
import { buttonLook } from '../../ui/button.tsx'
import { useNow } from '../../ui/text/clock.ts'
import { dayMs, formatCost, plural } from '../../ui/text/format.ts'
import { rowLook } from '../../ui/list.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { useWorkflows } from '../../data/workflows.ts'

const usageDays = 30

export function WorkflowsScreen(): ReactNode {
  const { rights } = useSession()
  const query = useWorkflows()
  const from = daysUntil(useNow(dayMs), usageDays)[0] ?? ''
  const { data: usage } = useUsage(from, 'workflow')
  const { data: glance } = useGlance('workflows', {})
  const create = rights.write && (
    <>
      <Link to="/templates" className={buttonLook()}>
        Templates
      </Link>
      <Link to="/workflows/new" className={buttonLook({ kind: 'primary' })}>
        <Plus size={15} aria-hidden="true" /> New workflow
      </Link>
    </>
  )
  return (
    <ResourceList
      title="Workflows"
      actions={create}
      query={query}
      lines={6}
      textOf={({ name, description, model, crew }) =>
        [name, description, model, ...crew.map(({ role }) => role)].join(' ')
      }
      empty={{
        icon: Sign,
        title: 'No workflows yet',
        help: 'workflows',
        text: 'A workflow is a crew of one to ten agents that carry a text from one to the next.',
        action: <div className="flex flex-wrap justify-center gap-2">{create}</div>,
      }}
    >
      {(workflow) => (
        <Row
          workflow={workflow}
          usage={usage?.rows.find((row) => row.workflow === workflow.id)}
          lastRun={glance?.runs.find((run) => run.workflow_id === workflow.id)}
        />
      )}
    </ResourceList>
  )
}

interface RowProps {
  workflow: Workflow
  /** Usage of the last days. */
  usage: Usage | undefined
  /** The workflow's last run, if it is among the account's newest. */
  lastRun: Run | undefined
}

function Row({ workflow, usage, lastRun }: RowProps): ReactNode {
  const { id, name, status, crew, model } = workflow
  return (
    <Link to="/workflows/$workflowId" params={{ workflowId: id }} className={rowLook}>
      <span className="min-w-0 flex-1 basis-60">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{name}</span>
          {status === 'paused' && <Badge tone="warn">Paused</Badge>}
          {model === demoModel && <Badge tone="warn">Demo model</Badge>}
        </span>
        <span className="mt-0.5 flex flex-wrap items-center gap-x-1 text-sm text-ink-soft">
          {crew.map(({ role }, index) => (
            <span key={index} className="inline-flex items-center gap-1">
              {index > 0 && (
                <ChevronRight size={13} className="text-ink-faint" aria-hidden="true" />
              )}
              {role}
            </span>
          ))}
        </span>
      </span>
      <span className="hidden max-w-44 truncate font-mono text-xs text-ink-faint xl:block">
        {model}
      </span>
      {usage !== undefined && usage.runs !== null && usage.runs > 0 && (
        <span className="text-sm text-ink-soft" title={`In the last ${usageDays} days`}>
          {plural(usage.runs, 'run')} · {Math.floor((100 * (usage.completed ?? 0)) / usage.runs)}%
          completed · {formatCost(usage)}
        </span>
      )}
      {lastRun !== undefined && (
        <span className="flex items-center gap-2 text-sm text-ink-faint lg:w-44 lg:justify-end">
          <RunStatus run={lastRun} /> <Ago at={lastRun.created_at} />
        </span>
      )}
    </Link>
  )
}
