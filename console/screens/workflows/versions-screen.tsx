import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Workflow, WorkflowDefinition } from '../../../sdk/generated.ts'
import { useWorkflow } from '../../data/workflows.ts'
import { storeDraft } from '../../parts/editor/editor.tsx'
import { StartForm } from '../../parts/start/start-form.tsx'
import { History } from '../../parts/versions/history.tsx'
import { useAnswer } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Found } from '../../ui/found.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { BackToWorkflow } from '../../parts/versions/back-to.tsx'
import { EarlierInputs } from '../../parts/versions/earlier-inputs.tsx'
import { bodyOf, workflowForm } from './form.ts'

/** The versions of a workflow: their changes, restoring one, and testing a draft. */
export function WorkflowVersionsScreen(): ReactNode {
  const { workflowId } = useParams({ from: '/workflows/$workflowId/versions' })
  const query = useWorkflow(workflowId)
  return (
    <Found query={query} tab="Versions" lines={10}>
      {(workflow) => <Shown workflow={workflow} />}
    </Found>
  )
}

function Shown({ workflow }: { workflow: Workflow }): ReactNode {
  const { muster, rights } = useSession()
  const navigate = useNavigate()
  const search = useSearch({ from: '/workflows/$workflowId/versions' })
  const { id, name } = workflow
  const params = { workflowId: id }
  const edit = async (version: number) => {
    const { definition } = await muster.workflows.versions.retrieve(id, String(version))
    storeDraft(
      `workflow.${id}`,
      workflowForm(shownAs(workflow, definition)),
      workflowForm(workflow),
      bodyOf,
    )
    await navigate({ to: '/workflows/$workflowId', params })
  }
  return (
    <Page
      title="Versions"
      tab={`Versions of ${name}`}
      above={<BackToWorkflow id={id} name={name} />}
      about="Every change of a workflow creates a version. Runs use the live one; you can try a draft first."
    >
      <History
        kind="workflows"
        resource={workflow}
        search={search}
        show={(next) =>
          void navigate({ to: '/workflows/$workflowId/versions', params, search: next })
        }
        edit={edit}
      >
        {(version) => rights.write && <TryIt key={version} workflow={workflow} version={version} />}
      </History>
    </Page>
  )
}

/** Tests a version, with the input fields of that version. */
function TryIt({ workflow, version }: { workflow: Workflow; version: number }): ReactNode {
  const { id } = workflow
  const query = useAnswer(['versions', id, 'one', version], (muster, options) =>
    muster.workflows.versions.retrieve(id, String(version), options),
  )
  return (
    <>
      <EarlierInputs workflowId={id} version={version} tried={{ version }} />
      {version === workflow.version ? (
        <StartForm workflow={workflow} />
      ) : (
        <Loaded query={query}>
          {({ definition }) => (
            <StartForm workflow={shownAs(workflow, definition)} tried={{ version }} />
          )}
        </Loaded>
      )}
    </>
  )
}

/** The workflow with another definition. */
function shownAs(workflow: Workflow, definition: WorkflowDefinition): Workflow {
  const { model } = definition
  return {
    ...workflow,
    ...definition,
    model: model ?? workflow.model,
    model_inherited: model === null,
  }
}
