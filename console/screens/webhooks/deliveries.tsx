import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { WebhookDelivery } from '../../../sdk/generated.ts'
import { useAnswer, usePages, useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { plural } from '../../ui/text/format.ts'
import { parseAsWritten } from '../../../server/exact-json.ts'
import { OutcomeList } from '../../parts/resource-list.tsx'
import { useStatus } from '../../ui/status-filter.tsx'
import { Dot } from '../../ui/status.tsx'
import type { Tone } from '../../ui/text/tone.ts'
import { toLine } from '../../ui/text/invisible.ts'
import { Text } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'

const states: Record<WebhookDelivery['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'live', word: 'On its way' },
  succeeded: { tone: 'ok', word: 'Arrived' },
  failed: { tone: 'bad', word: 'Failed' },
}

interface Endpoint {
  webhookId: string
  /** While it is off, pending deliveries wait. */
  isOn: boolean
}

/** Deliveries, newest first, each with its attempts; any can be sent again. */
export function Deliveries({ webhookId, isOn }: Endpoint): ReactNode {
  const chosen = useStatus(states)
  const [status] = chosen
  const asked = { limit: 30, ...(status !== '' && { status }) }
  const query = usePages(
    ['deliveries', webhookId, status],
    (muster, options) => muster.webhooks.deliveries(webhookId, { ...asked, ...options }),
    { refetchInterval: 3_000 },
  )
  return (
    <OutcomeList
      title="Deliveries"
      noun="deliveries"
      query={query}
      states={states}
      chosen={chosen}
      empty={{
        icon: Send,
        title: 'Nothing was sent yet',
        help: 'webhookDeliveries',
        text: <p>Send a test to see whether it listens.</p>,
      }}
    >
      {(delivery) => <Delivery webhookId={webhookId} isOn={isOn} delivery={delivery} />}
    </OutcomeList>
  )
}

function Delivery({
  webhookId,
  isOn,
  delivery,
}: Endpoint & { delivery: WebhookDelivery }): ReactNode {
  const { muster, rights } = useSession()
  const {
    id,
    event_type: type,
    run_id: runId,
    workflow,
    status,
    attempts,
    next_attempt_at: nextAt,
  } = delivery
  const [isOpen, setOpen] = useState(false)
  const again = useMutation({
    mutationFn: () => muster.webhooks.redeliver(webhookId, id),
    onSuccess: useRefresh(['deliveries', webhookId]),
  })
  const last = attempts.at(-1)
  const isRetried = status === 'pending' && last !== undefined
  const { tone, word } = isRetried ? { tone: 'warn' as const, word: 'Retrying' } : states[status]
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 hover:bg-hover">
        <span className="w-24 text-sm">
          <Dot tone={tone} isLive={status === 'pending' && isOn}>
            {word}
          </Dot>
        </span>
        <span className="min-w-40 flex-1 font-mono text-sm">
          {type} {runId !== null && <span className="text-ink-faint">{shortId(runId)}</span>}
          {workflow?.name != null && (
            <span className="block truncate font-sans text-ink-soft" dir="auto">
              {toLine(workflow.name, 200)}
            </span>
          )}
        </span>
        {last !== undefined && (
          <span className={`text-sm ${last.error === null ? 'text-ok' : 'text-bad'}`}>
            {answerOf(last)}
          </span>
        )}
        <span className="text-sm text-ink-soft">
          {plural(attempts.length, 'attempt')}
          {nextAt !== null && status === 'pending' && (
            <>, next {isOn ? <Ago at={nextAt} /> : 'when it is on again'}</>
          )}
        </span>
        <span className="text-sm text-ink-faint sm:w-24 sm:text-right">
          <Ago at={delivery.created_at} />
        </span>
      </summary>
      <div className="grid gap-3 border-t bg-canvas px-4 py-3">
        <div className="flex flex-wrap items-center gap-3">
          {runId !== null && (
            <Link to="/runs/$runId" params={{ runId }} className="text-sm link">
              View run
            </Link>
          )}
          {rights.write && isOn && (
            <Button isBusy={again.isPending} onClick={() => again.mutate()}>
              Send again
            </Button>
          )}
        </div>
        {again.error !== null && <Failure error={again.error} />}
        <ol className="grid gap-2">
          {attempts.map((attempt) => (
            <li key={attempt.at} className="panel px-3 py-2 text-sm">
              <p className="flex flex-wrap gap-x-3 text-ink-soft">
                <span className={attempt.error === null ? 'text-ok' : 'text-bad'}>
                  {answerOf(attempt)}
                </span>
                <span>{attempt.duration_ms} ms</span>
                <Ago at={attempt.at} />
                {attempt.trigger === 'manual' && <span>sent by hand</span>}
              </p>
              {attempt.error !== null && <Text text={attempt.error} />}
              {attempt.response_body !== '' && <Text text={attempt.response_body} mono />}
            </li>
          ))}
        </ol>
        {isOpen && <SentBody webhookId={webhookId} id={id} />}
      </div>
    </details>
  )
}

function answerOf({ response_status: status }: WebhookDelivery['attempts'][number]): string {
  return status === 0 ? 'No answer' : String(status)
}

/** Enough of an id to tell runs apart. */
function shortId(id: string): string {
  return `…${id.slice(-6)}`
}

/** The body of every attempt, loaded when the delivery is opened. */
function SentBody({ webhookId, id }: { webhookId: string; id: string }): ReactNode {
  const { data, error } = useAnswer(['delivery', webhookId, id], (muster, options) =>
    muster.webhooks.delivery(webhookId, id, options),
  )
  return (
    <section aria-label="Body" className="grid gap-1 text-sm">
      <h3 className="font-medium text-ink-soft">Body</h3>
      {error !== null && <Failure error={error} />}
      {data !== undefined && <Text text={indented(data.body)} mono />}
    </section>
  )
}

function indented(body: string): string {
  return JSON.stringify(parseAsWritten(body), null, 2)
}
