import { pruneIdempotencyKeys } from '../http/idempotency-store.ts'
import type { Database } from '../db/client.ts'
import { pruneDeletedEndpoints } from './deleted-endpoints-store.ts'
import { pruneInvitations, pruneSignIns } from './sign-ins-store.ts'
import * as store from './store.ts'

/**
 * Deletes rows that are older than the operator's retention settings. Each table is walked from its
 * oldest row by its primary key, since ids grow with time. Deleted rows are out of the way, so each
 * walk starts over where the last one deleted, without a stored position or an index by age, and
 * ends at the first row that is too young.
 *
 * A batch is one short transaction of at most 1,000 rows for each kind. One process works at a
 * time; others skip their turn.
 */
export interface Retention {
  /** Days after the end of a run. 0 disables the deletion, here and below. */
  eventsDays: number
  /** Days after the end of a run after which its model messages are deleted. */
  transcriptsDays: number
  /** Days after the event. */
  deliveriesDays: number
  /** Days after the change; also for the operator's log. */
  auditDays: number
  /** Days after the end of a run after which it is deleted with all its rows. */
  runsDays: number
}

/** Usage is stored for at least this many days. */
const leastUsageDays = 400

export class Pruner {
  readonly #walks: Walk[]
  readonly #onError: (error: unknown) => void

  constructor(database: Database, retention: Retention, onError: (error: unknown) => void) {
    const { eventsDays, transcriptsDays, deliveriesDays, auditDays, runsDays } = retention
    // At least as long as the runs that it sums up.
    const usageDays = runsDays === 0 ? 0 : Math.max(runsDays, leastUsageDays)
    const walks: [days: number, step: Walk['step']][] = [
      [runsDays, (from) => store.pruneRuns(database, runsDays, from)],
      [runsDays, untilNone(() => store.pruneBatches(database, runsDays))],
      [runsDays, untilNone(() => store.pruneThreads(database, runsDays))],
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
   * Does one batch of each unfinished walk; a walk that fails ends for this round. False when all
   * have ended; the next call starts a new round.
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

/** A walk without a cursor, because deleted rows are out of the way. */
function untilNone(prune: () => Promise<number>): Walk['step'] {
  return async (cursor) => ((await prune()) > 0 ? cursor : undefined)
}
