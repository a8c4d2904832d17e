import { derivedId, siblingId } from '../../ids.ts'
import type { RunKey } from './run.ts'

/** An entry of a run's event log. */
export interface RunEvent {
  id: string
  type: string
  data: Record<string, unknown>
}

/**
 * `what` tells it from others of this type in the run: the position of a step, or an id. Its id follows from
 * these, not from the data.
 */
export function runEvent(
  runId: string,
  type: string,
  data: Record<string, unknown> = {},
  what: string | number = '',
): RunEvent {
  const isOfMany = typeof what === 'string' && what !== ''
  const id = isOfMany
    ? derivedId('evt', runId, type, what)
    : siblingId('evt', runId, `${type} ${what}`)
  return { id, type, data }
}

/**
 * The events of the last minutes that the database said it has written, for this process alone. After a
 * failover it is asked for them again: what it lacks is lost, and can be named.
 */
export interface AcknowledgedEvent {
  accountId: string
  runId: string
  id: string
  type: string
}

export class Acknowledged {
  /** A ring, the newest behind `#next`. */
  readonly #ring: (AcknowledgedEvent & { atMs: number })[] = []
  #next = 0

  add({ accountId, runId }: RunKey, events: readonly Pick<RunEvent, 'id' | 'type'>[]): void {
    const atMs = performance.now()
    for (const { id, type } of events) {
      this.#ring[this.#next] = { accountId, runId, id, type, atMs }
      this.#next = (this.#next + 1) % maxEvents
    }
  }

  recent(): AcknowledgedEvent[] {
    const since = performance.now() - keptMs
    return this.#ring.filter(({ atMs }) => atMs >= since)
  }
}

const maxEvents = 20_000
const keptMs = 15 * 60_000
