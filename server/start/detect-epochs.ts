import type { Logger } from 'pino'
import { createPool } from '../db/client.ts'
import * as store from '../engine/journal/epochs.ts'
import type {
  Connection,
  CurrentEpoch,
  DatabaseIdentity,
  EpochReason,
  Acknowledged,
} from '../engine/journal/epochs.ts'

/**
 * Epochs: detects whether the database is still the same server with the same data.
 *
 * A promoted standby may lack the last writes, and a restored or copied database everything since
 * the backup or copy, so a run may have progressed further than the database knows. Therefore each
 * new connection is checked first: its database must be the one of the current epoch, by the
 * server's system identifier and timeline and by its own oid and name. On any other database a new
 * epoch starts, once, by the first process that notices. Workers then lose their runs, which are
 * taken again. In runs that started before, no action with an effect goes out without approval: its
 * outcome is unknown, as after a crash. Webhooks are held until an operator releases them, and in a
 * copy everything that starts runs by itself. And each process records events that it knows were
 * committed, and that are gone.
 */
export interface EpochOptions {
  acknowledged: Acknowledged
  log: Logger
  /** Whether a promoted standby has all acknowledged data, so that nothing is in doubt. */
  trustsPromotion: boolean
  /** Identifies the data folder of an embedded database. */
  home?: string | undefined
}

export class Epochs {
  readonly #options: EpochOptions
  #number = 0
  /** Called when another epoch has started: runs in progress here must be abandoned. */
  onChange: () => void = () => {}

  constructor(options: EpochOptions) {
    this.#options = options
  }

  /** Called at the start, before anything else reads the database. */
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
      const identity = await store.readIdentity(connection)
      if (identity !== undefined) {
        if (isKept(current, identity, home)) await store.refuseReadOnly(connection)
        else await store.storeIdentity(connection, identity, home)
      }
      await this.check(connection)
    }
    if ((await store.readEpoch(connection)).deliveriesHeld) {
      log.warn(
        'webhooks and background work are held until `muster release-deliveries`; see `muster doctor`',
      )
    }
  }

  /** Called for each connection before its first use. */
  async check(connection: Connection): Promise<void> {
    const current = await store.readEpoch(connection)
    const found = await store.readIdentity(connection)
    const reason = found && findChange(current, found)
    if (reason !== undefined) return this.#begin(connection, current.number, reason)
    await this.#enter(connection, current.number)
  }

  /** Starts the epoch after this number; another process may do so at the same time. */
  async #begin(connection: Connection, number: number, reason: EpochReason): Promise<void> {
    const { home, trustsPromotion } = this.#options
    const identity = await store.readIdentity(connection)
    const isInDoubt = reason !== 'promoted' || !trustsPromotion
    await store.beginEpoch(connection, number, { reason, identity, home, isInDoubt })
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

/** Why a database is another one than that of its epoch; undefined if nothing differs that is known of both. */
function findChange(known: CurrentEpoch, found: DatabaseIdentity): EpochReason | undefined {
  const differs = (name: keyof DatabaseIdentity): boolean =>
    known[name] !== null && found[name] !== null && known[name] !== found[name]
  const isOther = (['systemIdentifier', 'databaseOid', 'databaseName'] as const).some(differs)
  if (isOther) return 'restored'
  return differs('timeline') ? 'promoted' : undefined
}

/** Avoids an unnecessary write, for which all nodes of a cluster would have to be available. */
function isKept(known: CurrentEpoch, found: DatabaseIdentity, own: string | undefined): boolean {
  const names = ['systemIdentifier', 'timeline', 'databaseOid', 'databaseName'] as const
  const isWhole = names.every((name) => known[name] !== null || found[name] === null)
  return isWhole && (known.home !== null || own === undefined)
}

const messages: Record<EpochReason, string> = {
  promoted:
    'the database is on a new timeline: a standby was promoted, or it was restored to a point in time',
  restored: 'the database is a restored one',
  copied: 'the data folder is a copy of another',
}

/** Limit of logged events; all are in the table. */
const maxLogged = 200
