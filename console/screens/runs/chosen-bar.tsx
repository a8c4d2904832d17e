import { useMutation } from '@tanstack/react-query'
import { CircleStop, RotateCcw } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { Run } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Link } from '@tanstack/react-router'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Failure } from '../../ui/failure.tsx'
import { FootBar } from '../../ui/foot-bar.tsx'
import { formatCount, plural } from '../../ui/text/format.ts'
import type { Choice } from './choose.ts'
import { findRetried, mostNewer, type Retried } from './find-retried.ts'
import { forEach, type Progress } from './for-each.ts'
import { hasEnded } from '../../data/run-states.ts'

const verbs = {
  cancel: { word: 'Cancel', wayOut: 'Let them go on', done: 'cancelled', icon: CircleStop },
  retry: { word: 'Retry', wayOut: 'Back', done: 'retried', icon: RotateCcw },
} as const

type Verb = keyof typeof verbs

/** More than that are done in several goes. */
const mostChosen = 200

interface Props {
  choice: Choice
  /** By the button of the bar, which goes. */
  onEnd: () => void
}

/** At the foot of the list while runs are chosen: how many, what can be done with them, how far it is. */
export function ChosenBar({ choice, onEnd }: Props): ReactNode {
  const { runs } = choice
  const { muster } = useSession()
  const refresh = useRefresh(['runs'])
  const [asked, setAsked] = useState<{ verb: Verb; retried?: Retried }>()
  const [work, setWork] = useState<Progress & { verb: Verb }>()
  const stop = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    stop.current = controller
    return () => controller.abort()
  }, [])

  const chosen = runs.filter(({ id }) => choice.ids.has(id)).slice(0, mostChosen)
  const fit: Record<Verb, Run[]> = {
    cancel: chosen.filter((run) => !hasEnded(run)),
    retry: chosen.filter(({ status }) => status === 'failed'),
  }
  const isBusy = work !== undefined && !work.isOver
  const look = useMutation({
    mutationFn: () => findRetried(muster, fit.retry),
    onSuccess: (retried) => setAsked({ verb: 'retry', retried }),
  })
  const begin = (verb: Verb, runs: Run[]) => {
    void forEach(
      runs.map(({ id }) => id),
      async (id, signal) => {
        if (verb === 'retry') await muster.runs.retry(id, { signal })
        else choice.replace(await muster.runs.cancel(id, { signal }))
      },
      { signal: stop.current.signal, tell: (progress) => setWork({ ...progress, verb }) },
    ).then(() => {
      choice.set([])
      return refresh()
    })
  }
  return (
    <FootBar role="region" aria-label="Chosen runs">
      {work !== undefined && <Told work={work} />}
      {look.error !== null && <Failure error={look.error} />}
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
            isBusy={verb === 'retry' && look.isPending}
            onClick={() => (verb === 'retry' ? look.mutate() : setAsked({ verb }))}
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
          {isBusy ? 'Stop' : 'Done'}
        </Button>
      </div>
      {asked !== undefined && (
        <Ask
          {...asked}
          runs={fit[asked.verb]}
          begin={(runs) => begin(asked.verb, runs)}
          close={() => setAsked(undefined)}
        />
      )}
    </FootBar>
  )
}

interface AskProps {
  verb: Verb
  runs: Run[]
  retried?: Retried
  begin: (runs: Run[]) => void
  close: () => void
}

/** Those that were retried before are left out, unless no others are chosen. */
function Ask({ verb, runs: fit, retried, begin, close }: AskProps): ReactNode {
  const { word, wayOut } = verbs[verb]
  const fresh = fit.filter(({ id }) => retried?.ids.has(id) !== true)
  const runs = fresh.length === 0 ? fit : fresh
  const count = fit.length - fresh.length
  return (
    <Confirm
      title={`${word} ${plural(runs.length, 'run')}?`}
      action={`${word} ${plural(runs.length, 'run')}`}
      wayOut={wayOut}
      isHarmless={verb === 'retry'}
      run={async () => begin(runs)}
      onClose={close}
    >
      <div className="grid gap-2">
        {count > 0 && (
          <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
            {fresh.length === 0
              ? 'All of them were retried before.'
              : `${count} of ${fit.length} chosen ${count === 1 ? 'was' : 'were'} retried before and will be left out. To retry ${count === 1 ? 'it' : 'them'} again, choose no others.`}
          </p>
        )}
        {retried?.isWhole === false && (
          <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
            Only the newest {formatCount(mostNewer)} runs were looked at: more of these may have
            been retried before.
          </p>
        )}
        <p>
          {verb === 'cancel'
            ? 'They end where they are. Calls that are under way may still arrive.'
            : 'Each becomes a new run, which goes on after the finished steps; those that are left cost again.'}{' '}
          Stay on this page until it is done.
        </p>
      </div>
    </Confirm>
  )
}

function Told({
  work: { verb, done, of, failures, isOver },
}: {
  work: Progress & { verb: Verb }
}): ReactNode {
  const words = `${done - failures.length} of ${of} ${verbs[verb].done}`
  return (
    <>
      <p role="status" className="px-1 text-sm tabular-nums">
        {isOver ? `${words}.` : `${words}…`}
        {failures.length > 0 && ` ${failures.length} could not be, the first because:`}
      </p>
      {failures.length > 0 && <Failure error={failures[0]} />}
    </>
  )
}
