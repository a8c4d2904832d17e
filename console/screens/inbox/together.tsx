import { createContext, use, useState, type ReactNode } from 'react'
import { MusterError } from '../../../sdk/errors.ts'
import type { WaitingRun } from '../../../sdk/generated.ts'
import { wordsOf } from '../../parts/inbox/action-words.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { plural } from '../../ui/text/format.ts'
import { toLine } from '../../ui/text/invisible.ts'
import { wordsOfError } from '../../ui/form/error-words.ts'

/**
 * Approvals of one action that are answered together. A request is only chosen where it is shown whole, so that each
 * has been looked at.
 */
interface Together {
  chosen: readonly WaitingRun[]
  /** The action of the chosen requests. */
  action: string | undefined
  toggle: (waiting: WaitingRun) => void
  clear: () => void
}

const TogetherContext = createContext<Together | undefined>(undefined)

/** The API answers each by itself, so more would take long. */
const mostTogether = 50

export function TogetherProvider({ children }: { children: ReactNode }): ReactNode {
  const [chosen, setChosen] = useState<readonly WaitingRun[]>([])
  const toggle = (waiting: WaitingRun) =>
    setChosen((before) => {
      const left = before.filter(({ pending }) => pending.id !== waiting.pending.id)
      return left.length < before.length ? left : [...before, waiting]
    })
  const action = chosen[0]?.pending.tool
  return (
    <TogetherContext value={{ chosen, action, toggle, clear: () => setChosen([]) }}>
      {children}
    </TogetherContext>
  )
}

function useTogether(): Together {
  const together = use(TogetherContext)
  if (together === undefined) throw new Error('Not in the inbox')
  return together
}

/** What became of each, until the next choice. */
interface Outcome {
  approved: number
  failures: string[]
}

/** The chosen requests, and the button that approves them all. */
export function TogetherBar(): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['pending'], ['runs'])
  const { chosen, action = '', clear } = useTogether()
  const [isAsking, setIsAsking] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  if (chosen.length === 0 && outcome === undefined) return null
  const approve = async (): Promise<void> => {
    const failures: string[] = []
    for (const { run_id: runId, pending } of chosen) {
      try {
        await muster.runs.respond(runId, { action: 'approve', pending_id: pending.id })
      } catch (error) {
        if (!(error instanceof MusterError)) throw error
        failures.push(`${toLine(wordsOf(pending).detail, 80)}: ${wordsOfError(error)}`)
      }
    }
    setOutcome({ approved: chosen.length - failures.length, failures })
    clear()
    await refresh()
  }
  const title = `Approve ${chosen.length} of ${action}`
  return (
    <div
      role="region"
      aria-label="Chosen requests"
      className="foot-bar bottom-[calc(3.5rem+var(--not-live))] z-10 grid gap-2 border-t bg-raised px-4 py-3 md:bottom-(--not-live)"
    >
      {chosen.length > 0 ? (
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" onClick={() => setIsAsking(true)}>
            Approve {chosen.length}
          </Button>
          <Button kind="quiet" onClick={clear}>
            Choose none
          </Button>
        </div>
      ) : (
        outcome !== undefined && (
          <div role="status" className="text-sm">
            <p>{plural(outcome.approved, 'request')} approved.</p>
            {outcome.failures.map((failure) => (
              <p key={failure} className="text-bad">
                {failure}
              </p>
            ))}
            <Button kind="quiet" onClick={() => setOutcome(undefined)}>
              OK
            </Button>
          </div>
        )
      )}
      {isAsking && (
        <Confirm
          title={`${title}?`}
          action={`Approve ${chosen.length}`}
          wayOut="Back"
          isHarmless
          run={approve}
          onClose={() => setIsAsking(false)}
        >
          <ul className="grid list-disc gap-1 pl-5">
            {chosen.map((waiting) => (
              <li key={waiting.pending.id} dir="auto">
                {toLine(wordsOf(waiting.pending).detail || waiting.pending.prompt, 120)}
              </li>
            ))}
          </ul>
        </Confirm>
      )}
    </div>
  )
}

/** Puts the request that is shown to those that are approved together. */
export function ChooseButton({ waiting }: { waiting: WaitingRun }): ReactNode {
  const { chosen, action, toggle } = useTogether()
  const isChosen = chosen.some(({ pending }) => pending.id === waiting.pending.id)
  const isOther = action !== undefined && action !== waiting.pending.tool
  if (isOther || (!isChosen && chosen.length === mostTogether)) return null
  return (
    <Button aria-pressed={isChosen} onClick={() => toggle(waiting)}>
      {isChosen ? 'Chosen' : 'Approve with others'}
    </Button>
  )
}
