import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Workflow } from '../../../sdk/generated.ts'
import { MemorySection } from '../../parts/memory/memory-section.tsx'
import { DemoWarning } from '../../parts/models/model-field.tsx'
import { isNeed, Needs } from '../../parts/needs.tsx'
import { demoModel } from '../../data/models.ts'
import { useSession } from '../../session/session.tsx'
import { Found } from '../../ui/found.tsx'
import { Page, WayBack } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { HistoryLink } from '../../parts/versions/history.tsx'
import { StartForm } from '../../parts/start/start-form.tsx'
import { useWorkflow } from '../../data/workflows.ts'
import { Overview } from './overview.tsx'
import { WorkflowActions } from './workflow-actions.tsx'
import { useWorkflowEditor } from './workflow-editor.ts'
import { WorkflowSummary } from './workflow-summary.tsx'

/** One workflow: start form, what it is connected to, its latest runs, editor and memory. */
export function WorkflowScreen(): ReactNode {
  const { workflowId } = useParams({ from: '/workflows/$workflowId' })
  const query = useWorkflow(workflowId)
  return (
    <Found query={query} tab="Workflow" lines={10}>
      {(workflow) => <Shown workflow={workflow} />}
    </Found>
  )
}

function Shown({ workflow }: { workflow: Workflow }): ReactNode {
  const { muster, rights } = useSession()
  const { id, name, description, status, model, crew, warnings } = workflow
  const usesDemo = model === demoModel || crew.some((entry) => entry.model === demoModel)
  const others = warnings.filter((warning) => !isNeed(warning))
  const unlinked = crew.filter(({ agentId }) => agentId === undefined).map(({ role }) => role)
  return (
    <Page
      title={name}
      above={
        <WayBack to="/workflows" label="Workflows">
          <HistoryLink kind="workflows" resource={workflow} />
          {status === 'paused' && <Badge tone="warn">Paused: takes no new runs</Badge>}
        </WayBack>
      }
      about={description}
      actions={<WorkflowActions workflow={workflow} />}
    >
      {usesDemo && (
        <div className="mb-6">
          <DemoWarning />
        </div>
      )}
      <Needs title="Not ready to run" warnings={warnings} />
      {others.length > 0 && (
        <ul role="note" className="mb-6 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          {others.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
      {rights.write ? (
        <Changeable key={id} workflow={workflow} />
      ) : (
        <>
          <Overview workflow={workflow} />
          <WorkflowSummary workflow={workflow} />
        </>
      )}
      {workflow.memory_enabled && unlinked.length > 0 && (
        <MemorySection
          owner={{ kind: 'workflow', id, roles: [...new Set(unlinked)] }}
          notes={muster.workflows.memory}
        />
      )}
    </Page>
  )
}

function Changeable({ workflow }: { workflow: Workflow }): ReactNode {
  const { isChanged, saveDraft, view } = useWorkflowEditor(workflow)
  return (
    <>
      <StartForm workflow={workflow} {...(isChanged ? { saveDraft } : {})} />
      <Overview workflow={workflow} />
      {view}
    </>
  )
}
