import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Check, Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Run } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useStepsDone } from './steps.ts'

/** The first steps of an account, until each is done. */
export function FirstSteps({ latest }: { latest: readonly Run[] }): ReactNode {
  const { rights } = useSession()
  const done = useStepsDone(latest)
  if (done === undefined || Object.values(done).every(Boolean)) return null
  const count = Object.values(done).filter(Boolean).length
  return (
    <section aria-label="First steps" className="mb-8">
      <h2 className="mb-2.5 text-base font-semibold">
        First steps <span className="font-normal text-ink-soft">· {count} of 4 done</span>
      </h2>
      <ol className="panel divide-y">
        <Step
          number={1}
          title="Connect a model"
          isDone={done.model}
          action={
            rights.administer ? (
              <Link to="/model-providers" className={buttonLook({ kind: 'primary' })}>
                Connect a model
              </Link>
            ) : (
              'Ask an admin.'
            )
          }
        >
          A key for OpenAI, Anthropic, Google or Mistral, or a server of your own. Until then only
          the offline stand-in muster/demo runs.
        </Step>
        <Step
          number={2}
          title="Run a crew"
          isDone={done.run}
          action={rights.write ? <FirstRun isPrimary={done.model} /> : 'Ask a member or an admin.'}
        >
          A planner and a writer turn a note about a broken pump into a short report. Works offline
          too, with muster/demo.
        </Step>
        <Step
          number={3}
          title="Let agents act"
          isDone={done.tools}
          action={
            <Link to="/connectors" className={buttonLook()}>
              Connectors
            </Link>
          }
        >
          Connect email, Slack, HubSpot or any MCP server. Actions that change other systems wait
          for approval.
        </Step>
        <Step
          number={4}
          title="Start runs without the console"
          isDone={done.start}
          action={
            <>
              {rights.administer && (
                <Link to="/api-keys" className={buttonLook()}>
                  API keys
                </Link>
              )}
              <Link to="/connections" className={buttonLook()}>
                Connections
              </Link>
            </>
          }
        >
          From your program with a key of its own, at set times, for events of another service, or
          for each email.
        </Step>
      </ol>
    </section>
  )
}

const sample = `The pump of line 4 failed on Monday at 06:40. A seal was worn, and the alarm was muted.
Production stood for five hours. Spare seals arrive on Friday. Who decides about the alarm is open.`

/** Creates a workflow if there is none, and starts a run. */
function FirstRun({ isPrimary }: { isPrimary: boolean }): ReactNode {
  const { muster } = useSession()
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
  return (
    <>
      <Button
        kind={isPrimary ? 'primary' : 'plain'}
        icon={Play}
        isBusy={first.isPending}
        onClick={() => first.mutate()}
      >
        Start first run
      </Button>
      {first.error !== null && <Failure error={first.error} />}
    </>
  )
}

interface StepProps {
  number: number
  title: string
  isDone: boolean
  /** Shown until the step is done. */
  action: ReactNode
  children: ReactNode
}

function Step({ number, title, isDone, action, children }: StepProps): ReactNode {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4 py-3">
      <span
        className={`grid size-6 shrink-0 place-items-center self-start rounded-full text-sm ${isDone ? 'bg-ok-soft text-ok' : 'bg-accent-soft text-accent'}`}
      >
        {isDone ? <Check size={15} aria-hidden="true" /> : number}
      </span>
      <div className="min-w-0 flex-1 basis-64">
        <h3 className={isDone ? 'text-ink-soft' : 'font-medium'}>
          {isDone && <span className="sr-only">Done: </span>}
          {title}
        </h3>
        {!isDone && <p className="mt-0.5 max-w-2xl text-ink-soft">{children}</p>}
      </div>
      {!isDone && <div className="flex flex-wrap gap-2 text-ink-soft">{action}</div>}
    </li>
  )
}
