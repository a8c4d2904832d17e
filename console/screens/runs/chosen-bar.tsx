import { CircleStop, RotateCcw } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import type { BulkOperation, Run } from '../../../sdk/generated.ts'
import { hasEnded } from '../../data/runs/states.ts'
import { useBulkOperation } from '../../data/runs/list.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Link } from '@tanstack/react-router'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { FootBar } from '../../ui/foot-bar.tsx'
import { plural } from '../../ui/text/format.ts'
import { showInvisible } from '../../ui/text/invisible.ts'
import type { Choice } from './choose.ts'

const verbs = {
  cancel: { word: 'Cancel', wayOut: 'Let them go on', done: 'cancelled', icon: CircleStop },
  retry: { word: 'Retry', wayOut: 'Back', done: 'retried', icon: RotateCcw },
} as const

type Verb = keyof typeof verbs

/** Limit of runs that can be selected at once. */
const mostChosen = 200

interface Props {
  choice: Choice
  /** Called by the bar's close button. */
  onEnd: () => void
}

/** The bar at the bottom during a selection: number of runs, actions, and progress. */
export function ChosenBar({ choice, onEnd }: Props): ReactNode {
  const { runs } = choice
  const { muster } = useSession()
  const [asked, setAsked] = useState<Verb>()
  const [begun, setBegun] = useState<{ id: string; runs: Run[] }>()
  const work = useBulkOperation(begun?.id)
  useUpdatedRuns(choice, begun?.runs, work?.status === 'completed')

  const chosen = runs.filter(({ id }) => choice.ids.has(id)).slice(0, mostChosen)
  const fit: Record<Verb, Run[]> = {
    cancel: chosen.filter((run) => !hasEnded(run)),
    retry: chosen.filter(({ status }) => status === 'failed'),
  }
  const isBusy = work?.status === 'running'
  const begin = async (action: Verb): Promise<void> => {
    const filter = { run_ids: fit[action].map(({ id }) => id) }
    const { id } = await muster.bulk_operations.create({ action, filter })
    setBegun({ id, runs: fit[action] })
    choice.set([])
  }
  return (
    <FootBar role="region" aria-label="Chosen runs">
      {work !== undefined && <Outcome operation={work} />}
      <div className="flex flex-wrap items-center gap-2">
        <div className="mr-auto flex items-center gap-2 max-sm:basis-full">
          <span className="pl-1 text-sm text-ink-soft tabular-nums">{chosen.length} chosen</span>
          <Button
            kind="quiet"
            disabled={isBusy}
            onClick={() => choice.set(runs.slice(0, mostChosen).map(({ id }) => id))}
          >
            All {Math.min(runs.length, mostChosen)} shown
          </Button>
        </div>
        {chosen.length === 2 && (
          <Link
            to="/runs/$runId/compare/$otherId"
            params={{ runId: chosen[1]?.id ?? '', otherId: chosen[0]?.id ?? '' }}
            className={buttonLook()}
          >
            Compare
          </Link>
        )}
        {(Object.keys(verbs) as Verb[]).map((verb) => (
          <Button
            key={verb}
            icon={verbs[verb].icon}
            disabled={isBusy || fit[verb].length === 0}
            onClick={() => setAsked(verb)}
          >
            {verbs[verb].word} {fit[verb].length}
          </Button>
        ))}
        <Button
          kind="quiet"
          onClick={() => {
            choice.end()
            onEnd()
          }}
        >
          Done
        </Button>
      </div>
      {asked !== undefined && (
        <Ask
          verb={asked}
          count={fit[asked].length}
          begin={() => begin(asked)}
          close={() => setAsked(undefined)}
        />
      )}
    </FootBar>
  )
}

/**
 * Refetches the selected runs once an operation has ended, because the list may not contain them
 * any more.
 */
function useUpdatedRuns(choice: Choice, runs: Run[] | undefined, isOver: boolean): void {
  const { muster } = useSession()
  const refresh = useRefresh(['runs'])
  useEffect(() => {
    if (!isOver || runs === undefined) return
    const update = async (): Promise<void> => {
      for (const { id } of runs) choice.replace(await muster.runs.retrieve(id))
      await refresh()
    }
    // If the service is unreachable, the list shows what it has.
    update().catch(() => {})
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once for each operation
  }, [isOver, runs])
}

interface AskProps {
  verb: Verb
  count: number
  begin: () => Promise<void>
  close: () => void
}

function Ask({ verb, count, begin, close }: AskProps): ReactNode {
  const { word, wayOut } = verbs[verb]
  return (
    <Confirm
      title={`${word} ${plural(count, 'run')}?`}
      action={`${word} ${plural(count, 'run')}`}
      wayOut={wayOut}
      isHarmless={verb === 'retry'}
      run={begin}
      onClose={close}
    >
      {verb === 'cancel'
        ? 'They end where they are. Calls in progress may still arrive.'
        : 'Each becomes a new run, which goes on after the finished steps; the remaining steps cost again. Runs that were retried before are left out.'}
    </Confirm>
  )
}

function Outcome({ operation }: { operation: BulkOperation }): ReactNode {
  const { action, status, matched, done, skipped, held, problems } = operation
  const reasons = [...new Set(problems.map(({ why }) => why))].slice(0, 3)
  const left = {
    cancel: 'had ended before',
    retry: 'left out: retried before, or not possible now',
  }
  return (
    <p role="status" className="px-1 text-sm tabular-nums">
      {`${done} of ${matched} ${verbs[action].done}`}
      {status === 'running' ? '…' : '.'}
      {skipped > 0 && ` ${skipped} ${left[action]}.`}
      {reasons.length > 0 && (
        <span className="text-ink-soft">{` ${showInvisible(reasons.join('; '))}`}</span>
      )}
      {status === 'running' && held !== null && (
        <span className="block text-warn">{`Waiting: ${showInvisible(held)}`}</span>
      )}
    </p>
  )
}
