import pg from 'pg'
import { connectionOptions } from '../../db/client.ts'
import { channel } from './jobs.ts'

/** One connection that LISTENs and comes back when it breaks; polling covers the gap. */
export class Listener {
  readonly #url: string
  /** Whose notices are no news. */
  readonly #self: string
  readonly #onNotice: () => void
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(url: string, self: string, onNotice: () => void) {
    this.#url = url
    this.#self = self
    this.#onNotice = onNotice
    void this.#connect()
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ ...connectionOptions(this.#url), keepAlive: true })
    this.#client = client
    client.on('notification', ({ payload }) => {
      if (payload !== this.#self) this.#onNotice()
    })
    client.on('error', () => {})
    client.once('end', () => this.#reconnect())
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      this.#onNotice()
    } catch {
      client.end().catch(() => {})
      this.#reconnect()
    }
  }

  #reconnect(): void {
    if (this.#closed || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#connect()
    }, 1_000).unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => {})
  }
}
