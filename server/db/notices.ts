import pg from 'pg'
import { loop, type Loop } from '../loop.ts'
import { connectionOptions } from './client.ts'

/**
 * The connection of a process that LISTENs. It reconnects when it breaks, and calls all subscribers
 * back when it is lost and when it is back, because notices in between are lost. A notice is only a
 * hint.
 */
/** What is done on each session before it counts as one, such as taking a lock, and when it is lost. */
export interface During {
  begin: (session: Session) => Promise<void>
  end: () => void
}

export type Session = Pick<pg.Client, 'query'>

export class Notices implements AsyncDisposable {
  readonly #url: string
  readonly #callbacks = new Map<string, (payload: string | undefined) => void>()
  /** What is done on each new session, in order; more may be added meanwhile. */
  readonly #begins: ((session: Session) => Promise<unknown>)[] = []
  readonly #ends: (() => void)[] = []
  readonly #loop: Loop
  #client: pg.Client | undefined
  /** Statements are sent one after another. */
  #asked: Promise<unknown> = Promise.resolve()

  constructor(url: string, { retryMs = 1_000 } = {}) {
    this.#url = url
    this.#loop = loop({
      everyMs: () => (this.#client === undefined ? retryMs : Infinity),
      tick: () => this.#connect(),
      // An unavailable server is reported elsewhere.
      onError: () => {},
      startsAtOnce: true,
    })
  }

  /** Calls back for each notice, and without a payload if some may have been missed. */
  on(channel: string, callback: (payload: string | undefined) => void): void {
    this.#callbacks.set(channel, callback)
    this.#begin((session) => session.query(`listen ${channel}`))
  }

  /** An error of `begin` closes the session, and another one is opened. */
  during({ begin, end }: During): void {
    this.#ends.push(end)
    this.#begin(begin)
  }

  #begin(work: (session: Session) => Promise<unknown>): void {
    this.#begins.push(work)
    const client = this.#client
    if (client === undefined) return
    this.#asked = this.#asked.then(() => work(client)).catch(() => void client.end())
  }

  get isListening(): boolean {
    return this.#client !== undefined
  }

  async #connect(): Promise<void> {
    if (this.#client !== undefined) return
    const client = new pg.Client({
      ...connectionOptions(this.#url),
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    })
    client.on('error', () => {})
    client.on('notification', ({ channel, payload }) => this.#callbacks.get(channel)?.(payload))
    try {
      await client.connect()
      for (const begin of this.#begins) await begin(client)
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
    this.#client = client
    client.once('end', () => {
      this.#client = undefined
      for (const end of this.#ends) end()
      this.#loop.wake()
      this.#reportGap()
    })
    this.#reportGap()
  }

  #reportGap(): void {
    for (const callback of this.#callbacks.values()) callback(undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop()
    await this.#client?.end().catch(() => {})
  }
}
