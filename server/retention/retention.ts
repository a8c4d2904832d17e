import { pruneIdempotencyKeys } from '../http/idempotency-store.ts'
import type { Database } from '../db/client.ts'
import { pruneDeletedEndpoints } from './deleted-endpoints-store.ts'
import { pruneInvitations, pruneSignIns } from './sign-ins-store.ts'
import * as store from './store.ts'

/**
 * Deletes what is older than the operator wants to keep. Every table is walked from its oldest row by
 * the key that it has anyway, since ids grow with time: what is deleted is out of the way, so a walk
 * begins where the last one had success, with no mark to store and no index by age to keep. It ends
 * at the first row that is too young.
 *
 * A piece of work is one short transaction of at most 1,000 rows for each kind. One process works at
 * a time; another one that finds it at work leaves the rest to it.
 */
export interface Retention {
  /** Days after the end of a run. 0 keeps for ever, here and below. */
  eventsDays: number
  /** Days after the end of a run that its model messages are kept. */
  transcriptsDays: number
  /** Days after the event. */
  deliveriesDays: number
  /** Days after the change; of the operator's log as well. */
  auditDays: number
  /** Days after its end that a run is kept, with all that belongs to it. */
  runsDays: number
}

/** Days that usage is kept at least. */
const leastUsageDays = 400

export class Pruner {
  readonly #walks: Walk[]
  readonly #onError: (error: unknown) => void

  constructor(database: Database, retention: Retention, onError: (error: unknown) => void) {
    const { eventsDays, transcriptsDays, deliveriesDays, auditDays, runsDays } = retention
    // As long as the runs that it sums up, and longer where those go early.
    const usageDays = runsDays === 0 ? 0 : Math.max(runsDays, leastUsageDays)
    const walks: [days: number, step: Walk['step']][] = [
      [runsDays, (from) => store.pruneRuns(database, runsDays, from)],
      [runsDays, untilNone(() => store.pruneBatches(database, runsDays))],
      [auditDays, untilNone(() => store.pruneBulkOperations(database, auditDays))],
      [eventsDays, (from) => store.pruneOfRuns(database, 'events', eventsDays, from)],
      [transcriptsDays, (from) => store.pruneOfRuns(database, 'step_turns', transcriptsDays, from)],
      [deliveriesDays, (from) => store.pruneDeliveries(database, deliveriesDays, from)],
      [deliveriesDays, untilNone(() => store.pruneNotifications(database, deliveriesDays))],
      [deliveriesDays, untilNone(() => store.pruneHookDeliveries(database, deliveriesDays))],
      [1, untilNone(() => store.pruneHookEvents(database))],
      [1, untilNone(() => pruneDeletedEndpoints(database))],
      [auditDays, untilNone(() => store.pruneAudit(database, auditDays))],
      [auditDays, untilNone(() => store.pruneMessages(database, auditDays))],
      [auditDays, untilNone(() => store.pruneOperatorLog(database, auditDays))],
      [usageDays, untilNone(() => store.pruneUsage(database, usageDays))],
      [1, untilNone(() => pruneIdempotencyKeys(database))],
      [1, untilNone(() => pruneSignIns(database))],
      [1, untilNone(() => pruneInvitations(database))],
    ]
    this.#walks = walks
      .filter(([days]) => days > 0)
      .map(([, step]) => ({ step, cursor: store.firstCursor }))
    this.#onError = onError
  }

  /**
   * One piece of each walk that has not ended; one that fails ends for this time. False when all have
   * ended; the next call begins anew.
   */
  async tick(): Promise<boolean> {
    for (const walk of this.#walks) {
      if (walk.cursor === undefined) continue
      walk.cursor = await walk.step(walk.cursor).catch((error: unknown) => {
        this.#onError(error)
        return undefined
      })
    }
    const hasMore = this.#walks.some(({ cursor }) => cursor !== undefined)
    if (!hasMore) for (const walk of this.#walks) walk.cursor = store.firstCursor
    return hasMore
  }
}

interface Walk {
  /** Undefined once the walk has ended. */
  cursor: store.Cursor | undefined
  step: (cursor: store.Cursor) => Promise<store.Cursor | undefined>
}

/** For what needs no cursor, since what is deleted is out of the way. */
function untilNone(prune: () => Promise<number>): Walk['step'] {
  return async (cursor) => ((await prune()) > 0 ? cursor : undefined)
}
