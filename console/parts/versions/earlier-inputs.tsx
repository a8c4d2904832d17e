import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Tried } from '../start/part.ts'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { useRun } from '../../data/runs/one.ts'
import { allGivenTo } from '../run/copy-as.ts'
import { RunStatus } from '../runs/run-status.tsx'
import { useAnswer } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { CheckField } from '../../ui/form/field.tsx'
import { Section } from '../../ui/page.tsx'
import { plural } from '../../ui/text/format.ts'
import { showInvisible } from '../../ui/text/invisible.ts'

const mostShown = 20
/** Runs among which those of other versions are looked for: trials are runs too. */
const mostListed = 100
const chosenAtFirst = 3
const refetchMs = 2_000

/** A run of the version, and the earlier run with the same input. */
interface TrialRun {
  from: string
  input: string
  id: string
}

interface Props {
  workflowId: string
  /** Number of the tested version. */
  version: number
  /** Versions for its runs. */
  tried: Tried
}

/**
 * Tests a version of a workflow or agent with the inputs of earlier runs, and links to the
 * comparison of each pair.
 */
export function EarlierInputs({ workflowId, version, tried }: Props): ReactNode {
  const { muster } = useSession()
  const { data: earlier = [] } = useAnswer(
    ['earlier-inputs', workflowId, tried.version],
    async (api, options) => {
      const list = { ...options, status: 'completed', limit: mostListed } as const
      const runs = [...(await api.runs.list(workflowId, list))]
      const others = runs.filter((run) => run.workflow_version !== tried.version)
      // Only a run that is read by itself has its files.
      const read = others.slice(0, mostShown).map(({ id }) => api.runs.retrieve(id, options))
      // For equal inputs the first run, because later ones tested other versions.
      return [...new Map((await Promise.all(read)).map((run) => [keyOf(run), run])).values()]
    },
  )
  // Kept as a draft, so that they survive opening a comparison.
  const [trials, setTrials] = useDraft<TrialRun[]>(
    `trials.${workflowId}.${JSON.stringify(tried)}`,
    [],
  )
  const [chosen, setChosen] = useState<Record<string, boolean>>({})
  const isChosen = ({ id }: RunWithSteps, place: number): boolean =>
    chosen[id] ?? place < chosenAtFirst
  const wanted = earlier.filter(isChosen)
  const trial = useMutation({
    mutationFn: async () => {
      let started = trials
      for (const run of wanted) {
        const { id } = await muster.runs.create(workflowId, { ...allGivenTo(run), ...tried })
        const others = started.filter((one) => one.from !== run.id)
        started = [...others, { from: run.id, input: nameOf(run), id }]
        setTrials(started)
      }
    },
  })
  if (earlier.length === 0) return null
  return (
    <Section title="Try on earlier inputs">
      <div className="panel grid grid-cols-1 gap-4 p-4">
        <div role="group" aria-label="Inputs to run" className="grid grid-cols-1 gap-3">
          {earlier.map((run, place) => (
            <CheckField
              key={run.id}
              label={<span className="line-clamp-1">{showInvisible(nameOf(run))}</span>}
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
        {trials.length > 0 && (
          <ul aria-label="Trials" className="divide-y rounded-md border">
            {trials.map((one) => (
              <li key={one.id}>
                <Trial of={one} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Section>
  )
}

/** What a run was given: equal texts with other files are other inputs. */
function keyOf({ input, data, files }: RunWithSteps): string {
  return JSON.stringify([input, data, files.inputs.map(({ id }) => id)])
}

/** An input in one line: the names of its files, then its text, or its data. */
function nameOf({ input, data, files }: RunWithSteps): string {
  const names = files.inputs.map(({ name }) => name).join(', ')
  const text = input === '' && data !== null ? JSON.stringify(data) : input
  return [names, text]
    .filter((part) => part !== '')
    .join(' · ')
    .slice(0, 200)
}

function Trial({ of: { from, input, id } }: { of: TrialRun }): ReactNode {
  const { data: run } = useRun(id, refetchMs)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 text-sm">
      <span className="min-w-0 flex-1 basis-40 truncate">{showInvisible(input)}</span>
      {run !== undefined && <RunStatus run={run} />}
      <Link
        to="/runs/$runId/compare/$otherId"
        params={{ runId: from, otherId: id }}
        className="link"
      >
        Compare
      </Link>
    </div>
  )
}
