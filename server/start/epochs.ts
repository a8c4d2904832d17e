import type { Logger } from 'pino'
import { createPool } from '../db/client.ts'
import * as store from '../engine/safety/epochs.ts'
import type { Connection, CurrentEpoch, EpochReason } from '../engine/safety/epochs.ts'
import type { Acknowledged } from '../engine/safety/acknowledged.ts'

/**
 * Epochs: whether the database is still the one that it was.
 *
 * A standby that was promoted may lack what was written last, and a restored or copied database all that
 * was done since: a run may have gone further than it knows. So nothing is sent over a connection before
 * its server was found to be the one of the current epoch, by its system identifier and its timeline. On
 * any other a new epoch begins, once, whoever is first. Then runs that are carried are lost to their
 * workers, and taken again. In runs that began before, no action goes out unasked: its outcome is
 * unknown, as after a crash. Webhooks are held until an operator lets them go. And each process names the
 * events that it knows were written, and that are no longer there.
 */
export interface EpochOptions {
  acknowledged: Acknowledged
  log: Logger
  /** Whether a promoted standby has all that was acknowledged, so that nothing is in doubt. */
  trustsPromotion: boolean
  /** Identifies the folder of an embedded database. */
  home?: string | undefined
}

export class Epochs {
  readonly #options: EpochOptions
  #number = 0
  /** Called when another epoch began: what is in progress here is no longer true. */
  onChange: () => void = () => {}

  constructor(options: EpochOptions) {
    this.#options = options
  }

  /** At the start, before anything else reads the database. */
  async open(url: string, isRestored: boolean): Promise<void> {
    await using pool = createPool(url, 1, { answerMs: 0, statementMs: 0 })
    const client = await pool.connect()
    await this.#open(client, isRestored).finally(() => client.release())
  }

  async #open(connection: Connection, isRestored: boolean): Promise<void> {
    const { home, log } = this.#options
    const current = await store.readEpoch(connection)
    this.#number = current.number
    if (isRestored) await this.#begin(connection, current.number, 'restored')
    else if (home !== undefined && current.home !== null && current.home !== home) {
      await this.#begin(connection, current.number, 'copied')
    } else {
      const serverIdentity = await store.readServerIdentity(connection)
      if (serverIdentity !== undefined) {
        if (isKept(current, home)) await store.refuseReadOnly(connection)
        else await store.storeServerIdentity(connection, serverIdentity, home)
      }
      await this.check(connection)
    }
    if ((await store.readEpoch(connection)).deliveriesHeld) {
      log.warn('webhooks are held until `muster release-deliveries`; see `muster doctor`')
    }
  }

  /** For each connection before its first use. */
  async check(connection: Connection): Promise<void> {
    const current = await store.readEpoch(connection)
    const found = await store.readServerIdentity(connection)
    if (found !== undefined && current.systemIdentifier !== null) {
      if (found.systemIdentifier !== current.systemIdentifier) {
        return this.#begin(connection, current.number, 'restored')
      }
      if (found.timeline !== current.timeline) {
        return this.#begin(connection, current.number, 'promoted')
      }
    }
    await this.#enter(connection, current.number)
  }

  /** Behind the epoch with this number; another process may do so at the same time. */
  async #begin(connection: Connection, number: number, reason: EpochReason): Promise<void> {
    const { home, trustsPromotion } = this.#options
    const serverIdentity = await store.readServerIdentity(connection)
    const isInDoubt = reason !== 'promoted' || !trustsPromotion
    await store.beginEpoch(connection, number, { reason, serverIdentity, home, isInDoubt })
    this.#options.log.warn({ epoch: number + 1, reason, isInDoubt }, messages[reason])
    await this.#enter(connection, number + 1)
  }

  async #enter(connection: Connection, number: number): Promise<void> {
    if (number === this.#number) return
    this.#number = number
    this.onChange()
    const { acknowledged, log } = this.#options
    const lost = await store.recordLostEvents(connection, number, acknowledged.recent())
    if (lost.length === 0) return
    const runs = new Set(lost.map(({ runId }) => runId)).size
    log.error({ events: lost.length, runs }, 'the database lost events; see `muster doctor`')
    for (const { accountId, runId, id, type } of lost.slice(0, maxLogged)) {
      log.error({ accountId, runId, eventId: id, type }, 'lost event')
    }
  }
}

/** Then nothing is written, which all nodes of a cluster would have to be there for. */
function isKept({ systemIdentifier, timeline, home }: CurrentEpoch, own: string | undefined) {
  return systemIdentifier !== null && timeline !== null && (home !== null || own === undefined)
}

const messages: Record<EpochReason, string> = {
  promoted:
    'the database is on a new timeline: a standby was promoted, or it was restored to a point in time',
  restored: 'the database is a restored one',
  copied: 'the data folder is a copy of another',
}

/** The others are in the table. */
const maxLogged = 200
