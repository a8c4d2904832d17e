import type { BenchDatabase } from './bench-database.ts'
import type { Arrival } from './receiver-process.ts'

/** Compares the webhooks that arrived with the event log and the subscriptions. */

/** Events that an endpoint subscribes to. */
export interface Subscription {
  path: string
  accountId: string
  events: string[]
  workflowId: string | undefined
}

export interface LoggedEvent {
  id: string
  accountId: string
  workflowId: string
  type: string
  /** The run and its event number. */
  event: string
}

export function readRunEvents(database: BenchDatabase): Promise<LoggedEvent[]> {
  return database.query<LoggedEvent & Record<string, unknown>>(
    `select events.id, events.account_id as "accountId", runs.workflow_id as "workflowId",
            events.type, run_id || ' ' || sequence as event
     from events join runs on runs.id = events.run_id where type like 'run.%'`,
  )
}

export interface DeliveryVerdict {
  /** Pairs of event and endpoint. */
  expected: number
  missing: number
  duplicates: number
  attempts: number
  answers: Record<Arrival['answer'], number>
  flaws: string[]
}

/** `isDue` says whether the events of a run must have arrived by now. */
export function judgeDeliveries(
  events: readonly LoggedEvent[],
  subscriptions: readonly Subscription[],
  arrivals: readonly Arrival[],
  isDue: (runId: string) => boolean = () => true,
): DeliveryVerdict {
  const expected = new Map<string, LoggedEvent>()
  for (const { path, ...wanted } of subscriptions) {
    for (const event of events) {
      const isWanted =
        event.accountId === wanted.accountId &&
        wanted.events.includes(event.type) &&
        (wanted.workflowId ?? event.workflowId) === event.workflowId
      if (isWanted) expected.set(`${path} ${event.id}`, event)
    }
  }
  const flaws: string[] = []
  const takes = new Map<string, number>()
  const hashes = new Map<string, string>()
  const answers = { taken: 0, failed: 0, hung: 0 }
  for (const { path, webhookId, type, event, bodyHash, isGenuine, answer } of arrivals) {
    const key = `${path} ${webhookId}`
    const promised = expected.get(key)
    answers[answer]++
    if (!isGenuine) flaws.push(`${key} is forged`)
    if (promised === undefined) flaws.push(`${key} (${type}) was not subscribed to`)
    else if (promised.event !== event || promised.type !== type) flaws.push(`${key} is ${event}`)
    if ((hashes.get(key) ?? bodyHash) !== bodyHash) flaws.push(`${key} changed its body`)
    hashes.set(key, bodyHash)
    if (answer === 'taken') takes.set(key, (takes.get(key) ?? 0) + 1)
  }
  const due = [...expected].filter(([, { event }]) => isDue(event.split(' ')[0] ?? ''))
  return {
    expected: due.length,
    missing: due.filter(([key]) => !takes.has(key)).length,
    duplicates: [...takes.values()].filter((count) => count > 1).length,
    attempts: arrivals.length,
    answers,
    flaws,
  }
}
