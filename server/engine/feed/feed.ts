import type { Database } from '../../db/client.ts'
import type { Notices } from '../../db/notices.ts'
import type { Progress } from '../reads/events.ts'
import type { RunKey } from '../run/run.ts'
import { AccountChanges, type Hint } from './account-changes.ts'
import { RunChanges } from './run-changes.ts'
import { TokenStream } from './token-stream.ts'

/**
 * Live updates of runs for the clients of a process, whichever process executes the runs. A client
 * that waits for one run is woken when it moves; a client that follows an account gets a hint for
 * each changed run; a client that follows tokens gets model output as it arrives. The feed stores
 * nothing and is never the record: a lost hint only costs time, because clients then read the
 * stored events. Requests use it, and workers report their own changes to it. It ends when the
 * process stops.
 */
export class Feed implements Disposable {
  readonly tokens: TokenStream
  readonly #runs: RunChanges
  readonly #accounts: AccountChanges

  constructor(database: Database, notices: Notices, onError: (error: unknown) => void) {
    this.#runs = new RunChanges(database, onError)
    this.#accounts = new AccountChanges(database, notices, onError)
    this.tokens = new TokenStream(database, notices, onError)
  }

  /** True once the process is stopping: requests must not wait any longer. */
  get closed(): boolean {
    return this.#runs.closed
  }

  /** Reports that this process changed a run. */
  changed(runId: string): void {
    this.#runs.changed(runId)
  }

  /**
   * Status and last event of a run; undefined if the account has no such run. Concurrent requests
   * share a query.
   */
  progressOf(accountId: string, runId: string): Promise<Progress | undefined> {
    return this.#runs.progressOf(accountId, runId)
  }

  /**
   * Resolves when the run has an event after `sequence`, or the wait ends; the caller then reads
   * the events.
   */
  moved(run: RunKey, sequence: number, signal: AbortSignal): Promise<void> {
    return this.#runs.moved(run, sequence, signal)
  }

  /** Hints of an account from now on, until the signal aborts or some may have been missed. */
  follow(accountId: string, signal: AbortSignal): Promise<AsyncGenerator<Hint[]>> {
    return this.#accounts.follow(accountId, signal)
  }

  [Symbol.dispose](): void {
    this.#runs[Symbol.dispose]()
    this.#accounts[Symbol.dispose]()
    this.tokens[Symbol.dispose]()
  }
}
