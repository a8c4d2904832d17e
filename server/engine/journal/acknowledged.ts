import type { RunKey } from '../run/run.ts'
import type { RunEvent } from '../run/step.ts'

/**
 * The events of the last minutes that the database acknowledged to this process. After a failover
 * the database is asked for them again: events that it lacks are lost, and can be listed.
 */
export interface AcknowledgedEvent {
  accountId: string
  runId: string
  id: string
  type: string
}

export class Acknowledged {
  /** A ring buffer; the newest entry is just before `#next`. */
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
