import { Link } from '@tanstack/react-router'
import { SquareTerminal } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RequestedCall, ToolWorker } from '../../../sdk/generated.ts'
import { useToolCalls, useToolWorkers } from '../../data/tool-calls.ts'
import { List } from '../../ui/list.tsx'
import { Page, Section, WayBack } from '../../ui/page.tsx'
import { OutcomeList } from '../../parts/resource-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { useStatus } from '../../ui/status-filter.tsx'
import { Dot } from '../../ui/status.tsx'
import { showInvisible } from '../../ui/text/invisible.ts'
import { serverNow } from '../../ui/text/server-time.ts'
import { Text } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'
import type { Tone } from '../../ui/text/tone.ts'

/** Calls of callers' tools, and the workers that execute them. */
export function ToolCallsScreen(): ReactNode {
  const chosen = useStatus(states)
  const workers = useToolWorkers()
  const calls = useToolCalls(chosen[0])
  return (
    <Page
      title="Tool calls"
      above={<WayBack to="/connections" label="Connections" />}
      about="Tools of agents that your own processes execute: their workers ask for calls and report the results."
    >
      <Section title="Workers">
        <List
          label="Workers"
          query={workers}
          lines={3}
          empty={
            <Empty icon={SquareTerminal} title="No workers yet" help="callerTools">
              <p>A worker appears here when it asks for calls, with a key of the role worker.</p>
            </Empty>
          }
        >
          {(worker) => <WorkerRow worker={worker} />}
        </List>
      </Section>
      <OutcomeList
        title="Calls"
        noun="calls"
        query={calls}
        states={states}
        chosen={chosen}
        empty={{ icon: SquareTerminal, title: 'No calls yet', help: 'callerTools' }}
      >
        {(call) => <CallRow call={call} />}
      </OutcomeList>
    </Page>
  )
}

const states: Record<RequestedCall['status'], { word: string; tone: Tone }> = {
  requested: { word: 'waiting for a worker', tone: 'warn' },
  claimed: { word: 'with a worker', tone: 'live' },
  succeeded: { word: 'done', tone: 'ok' },
  failed: { word: 'failed', tone: 'bad' },
  unknown: { word: 'outcome unknown', tone: 'warn' },
  cancelled: { word: 'cancelled', tone: 'neutral' },
}

/** A worker asks again within 30 s. */
const silentMs = 60_000

function WorkerRow({ worker }: { worker: ToolWorker }): ReactNode {
  const { key, names, address, since, last_seen_at: seen } = worker
  const isOnline = serverNow() - Date.parse(seen) < silentMs
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
      <span className="w-24">
        <Dot tone={isOnline ? 'ok' : 'neutral'}>{isOnline ? 'online' : 'silent'}</Dot>
      </span>
      <span className="min-w-40 flex-1">
        <span className="font-medium">{showInvisible(key.name)}</span>
        <span className="ml-3 font-mono text-ink-soft wrap-anywhere">
          {names === null ? 'all tools' : names.join(', ')}
        </span>
      </span>
      <span className="text-ink-faint">
        {address !== null && <>{address} · </>}
        {isOnline ? 'since ' : 'last seen '}
        <Ago at={isOnline ? since : seen} />
      </span>
    </div>
  )
}

function CallRow({ call }: { call: RequestedCall }): ReactNode {
  const { name, status, run_id: runId, claimed_by: worker, requested_at: at, error } = call
  const { tone, word } = states[status]
  const isOpen = status === 'requested' || status === 'claimed'
  return (
    <div className="grid gap-1 px-4 py-2.5 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="w-44">
          <Dot tone={tone} isLive={isOpen}>
            {word}
          </Dot>
        </span>
        <span className="min-w-40 flex-1 font-mono wrap-anywhere">{name}</span>
        <span className="text-ink-faint">
          {worker !== null && <>{showInvisible(worker.name)} · </>}
          {call.try > 1 && <>try {call.try} · </>}
          <Ago at={at} />
        </span>
        <Link to="/runs/$runId" params={{ runId }} search={{ at: call.id }} className="link">
          View run
        </Link>
      </div>
      <div className="text-ink-soft">
        <Text text={JSON.stringify(call.input)} mono limit={200} />
      </div>
      {error !== null && <Text text={error} limit={400} />}
    </div>
  )
}
