import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Tried } from '../start/part.ts'
import type { Run } from '../../../sdk/generated.ts'
import { useRun } from '../../data/run.ts'
import { allGivenTo } from '../run/copy-as.ts'
import { RunStatus } from '../runs/run-status.tsx'
import { useList } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { CheckField } from '../../ui/form/field.tsx'
import { Section } from '../../ui/page.tsx'
import { plural } from '../../ui/text/format.ts'
import { showInvisible } from '../../ui/text/invisible.ts'

const mostShown = 10
const chosenAtFirst = 3
const refetchMs = 2_000

interface Props {
  workflowId: string
  /** Number of the version that is tried. */
  version: number
  /** What its runs are triggered with. */
  tried: Tried
}

/** Tries a version of a workflow or of an agent on what earlier runs were given, and leads to each pair side by side. */
export function EarlierInputs({ workflowId, version, tried }: Props): ReactNode {
  const { muster } = useSession()
  const { data: runs = [] } = useList(['runs', 'earlier', workflowId], (api, options) =>
    api.runs.list(workflowId, { ...options, status: 'completed', limit: mostShown }),
  )
  const others = runs.filter((run) => run.workflow_version !== tried.version)
  // Of equal inputs the first run: later ones tried other versions.
  const earlier = [...new Map(others.map((run) => [keyOf(run), run])).values()]
  const [chosen, setChosen] = useState<Record<string, boolean>>({})
  const isChosen = ({ id }: Run, place: number): boolean => chosen[id] ?? place < chosenAtFirst
  const wanted = earlier.filter(isChosen)
  const trial = useMutation({
    mutationFn: async () => {
      const started: { from: Run; id: string }[] = []
      for (const from of wanted) {
        const given = allGivenTo(await muster.runs.retrieve(from.id))
        const { id } = await muster.runs.create(workflowId, { ...given, ...tried })
        started.push({ from, id })
      }
      return started
    },
  })
  if (earlier.length === 0) return null
  return (
    <Section title="Earlier inputs">
      <div className="panel grid gap-4 p-4">
        <div role="group" aria-label="Inputs to run" className="grid gap-3">
          {earlier.map((run, place) => (
            <CheckField
              key={run.id}
              label={<span className="line-clamp-1">{showInvisible(run.input.slice(0, 200))}</span>}
              checked={isChosen(run, place)}
              onChange={(checked) => setChosen({ ...chosen, [run.id]: checked })}
            />
          ))}
        </div>
        <div>
          <Button
            icon={Play}
            isBusy={trial.isPending}
            disabled={wanted.length === 0}
            onClick={() => trial.mutate()}
          >
            Run version {version} on {plural(wanted.length, 'input')}
          </Button>
        </div>
        {trial.error !== null && <Failure error={trial.error} />}
        {trial.data !== undefined && (
          <ul aria-label="Trials" className="divide-y rounded-md border">
            {trial.data.map(({ from, id }) => (
              <li key={id}>
                <Trial from={from} id={id} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Section>
  )
}

function keyOf({ input, data }: Run): string {
  return JSON.stringify([input, data])
}

function Trial({ from, id }: { from: Run; id: string }): ReactNode {
  const { data: run } = useRun(id, refetchMs)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 text-sm">
      <span className="min-w-0 flex-1 basis-40 truncate">
        {showInvisible(from.input.slice(0, 200))}
      </span>
      {run !== undefined && <RunStatus run={run} />}
      <Link
        to="/runs/$runId/compare/$otherId"
        params={{ runId: from.id, otherId: id }}
        className="link"
      >
        Compare
      </Link>
    </div>
  )
}
