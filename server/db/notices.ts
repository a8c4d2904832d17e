import pg from 'pg'
import { loop, type Loop } from '../loop.ts'
import { connectionOptions } from './client.ts'

/**
 * The connection of a process that LISTENs. It reconnects when it breaks, and calls all subscribers
 * back when it is lost and when it is back, because notices in between are lost. A notice is only a
 * hint.
 */
export class Notices implements AsyncDisposable {
  readonly #url: string
  readonly #callbacks = new Map<string, (payload: string | undefined) => void>()
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
    const client = this.#client
    if (client === undefined) return
    this.#asked = this.#asked.then(() => client.query(`listen ${channel}`)).catch(() => {})
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
      for (const channel of this.#callbacks.keys()) await client.query(`listen ${channel}`)
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
    this.#client = client
    client.once('end', () => {
      this.#client = undefined
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
