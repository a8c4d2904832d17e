import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import { demoModel, useModels } from '../../data/models.ts'
import { useSession } from '../../session/session.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'

const sample = `The pump of line 4 failed on Monday at 06:40. A seal was worn, and the alarm was muted.
Production stood for five hours. Spare seals arrive on Friday. Who decides about the alarm is open.`

/** Guides a new account to its first run. */
export function FirstSteps(): ReactNode {
  const { muster, rights } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const first = useMutation({
    mutationFn: async () => {
      const [workflow] = await muster.workflows.list()
      const { id } = workflow ?? (await muster.workflows.create({ name: 'Briefing' }))
      return muster.runs.create(id, { input: sample })
    },
    onSuccess: async (run) => {
      await queries.invalidateQueries()
      await navigate({ to: '/runs/$runId', params: { runId: run.id } })
    },
  })
  const { data: models } = useModels()
  const isUnconnected =
    models?.every(({ id, available }) => !available || id === demoModel) === true
  const before = isUnconnected ? 1 : 0
  return (
    <ol className={`mb-8 grid gap-3 ${isUnconnected ? 'sm:grid-cols-2' : 'lg:grid-cols-3'}`}>
      {isUnconnected && (
        <Step number={1} title="Connect a model">
          <p>
            Add a key for OpenAI, Anthropic, Google or Mistral, or a server of your own. Until then
            only the offline stand-in muster/demo runs.
          </p>
          {rights.administer ? (
            <Link to="/model-providers" className={buttonLook({ kind: 'primary' })}>
              Connect a model
            </Link>
          ) : (
            <p>Ask an admin to connect one.</p>
          )}
        </Step>
      )}
      <Step number={before + 1} title="Run a crew">
        <p>
          A planner and a writer turn a note about a broken pump into a short report. Works offline
          too, with the stand-in muster/demo.
        </p>
        {rights.write ? (
          <Button
            kind={isUnconnected ? 'plain' : 'primary'}
            icon={Play}
            isBusy={first.isPending}
            onClick={() => first.mutate()}
          >
            Start first run
          </Button>
        ) : (
          <p>Ask a member or an admin to start it.</p>
        )}
        {first.error !== null && <Failure error={first.error} />}
      </Step>
      <Step number={before + 2} title="Let agents act">
        <p>
          Connect email, Slack, HubSpot, the web or any MCP server. Actions that change other
          systems wait for approval.
        </p>
        <Link to="/connectors" className={buttonLook()}>
          Connectors
        </Link>
      </Step>
      <Step number={before + 3} title="Call it from your program">
        <p>Everything here goes through the API. Make a key of its own for each program.</p>
        <Link to={rights.administer ? '/api-keys' : '/workflows'} className={buttonLook()}>
          {rights.administer ? 'API keys' : 'Workflows'}
        </Link>
      </Step>
    </ol>
  )
}

function Step({
  number,
  title,
  children,
}: {
  number: number
  title: string
  children: ReactNode
}): ReactNode {
  return (
    <li className="panel flex flex-col items-start gap-3 p-5">
      <h2 className="flex items-center gap-2.5 text-lg font-semibold">
        <span className="grid size-6 place-items-center rounded-full bg-accent-soft text-sm text-accent">
          {number}
        </span>
        {title}
      </h2>
      <div className="flex flex-1 flex-col items-start justify-between gap-4 text-ink-soft">
        {children}
      </div>
    </li>
  )
}
