import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Transaction } from '../../db/client.ts'
import { logFailure, outageOf } from '../../db/outage.ts'
import { toolEvent, type ToolCall } from '../run/ledger.ts'
import {
  isExecuting,
  settleLate,
  writeLedger,
  type LedgerEntry,
  type Outcome,
} from '../journal/calls.ts'
import type { CallSite } from './settle-calls.ts'
import type { RunEvent } from '../run/step.ts'

/**
 * Writes the outcomes of calls into the ledger. Each function returns false if the run no longer
 * belongs to this worker.
 */
type Site = Pick<CallSite, 'database' | 'log' | 'fence' | 'step' | 'changed'>

export async function write(site: Site, entry: Entry): Promise<boolean> {
  const isOurs = await writeEntry(site.database, site, entry)
  if (isOurs) site.changed(entry.events)
  return isOurs
}

/** Writes the entry of `prepare` in the same transaction as the work that it does. */
export async function writeAll(
  site: Site,
  prepare: (transaction: Transaction) => Promise<Entry>,
): Promise<boolean> {
  let events: RunEvent[] = []
  try {
    await site.database.transaction().execute(async (transaction) => {
      const entry = await prepare(transaction)
      if (!(await writeEntry(transaction, site, entry))) throw new NotOurs()
      events = entry.events
    })
  } catch (error) {
    if (error instanceof NotOurs) return false
    throw error
  }
  site.changed(events)
  return true
}

/** Rolls the transaction back: the run no longer belongs to this worker. */
export class NotOurs extends Error {}

type Entry = Omit<LedgerEntry, 'position'>

function writeEntry(
  database: Database | Transaction,
  { fence, step: { position } }: Site,
  entry: Entry,
): Promise<boolean> {
  return writeLedger(database, fence, { position, ...entry })
}

const retryMs = 1_000
/** Ten minutes or more. */
const maxTries = 600

/**
 * Only this process knows the outcome, so it retries while the database is unavailable; the fence
 * decides whether the run is still its own.
 */
export async function writeOutcome(site: Site, call: ToolCall, outcome: Outcome): Promise<boolean> {
  const entry = { settled: [outcome], events: [completed(site, call)] }
  for (let tries = 1; ; tries++) {
    try {
      // The first try may have been committed although its response was lost.
      const isOurs =
        tries === 1
          ? await write(site, entry)
          : await writeAll(site, async (transaction) =>
              (await isExecuting(transaction, site.fence, call.id)) ? entry : { events: [] },
            )
      // The end of the run has settled the call as unknown; a known outcome says more.
      if (!isOurs && outcome.status !== 'unknown') {
        await settleLate(site.database, site.fence, outcome)
      }
      return isOurs
    } catch (error) {
      if (tries === maxTries || outageOf(error) === undefined) throw error
      if (tries === 1)
        logFailure(site.log, error, 'an outcome is not written yet', { callId: call.id })
      await delay(retryMs)
    }
  }
}

export function completed({ fence, step }: Site, call: ToolCall): RunEvent {
  return toolEvent(fence.runId, 'tool.completed', step, call)
}
