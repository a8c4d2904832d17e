import yoctoSpinner, { type Spinner } from 'yocto-spinner'
import type { Output } from './output.ts'
import { shell } from './shell.ts'
import { hasUnicode } from './signs.ts'

/**
 * Shows finished lines and, on a terminal, a line below them with the current state. Nothing with
 * `--json`. Does not keep the process running.
 */
export class StatusLine implements Disposable {
  readonly #stream: NodeJS.WriteStream | undefined
  readonly #spinner: Spinner | undefined
  readonly #now: () => string
  #clock: NodeJS.Timeout | undefined

  constructor({ isJson }: Output, now: () => string) {
    const { stderr, env } = shell()
    this.#now = now
    if (isJson) return
    this.#stream = stderr
    if (!stderr.isTTY || env['TERM'] === 'dumb' || 'CI' in env) return
    const spinner = hasUnicode() ? {} : { spinner: { frames: ['-', '\\', '|', '/'], interval: 80 } }
    this.#spinner = yoctoSpinner({ stream: stderr, handleSignals: false, text: now(), ...spinner })
  }

  get isLive(): boolean {
    return this.#spinner !== undefined
  }

  /** Shows the current state until closed. */
  start(): void {
    if (this.#spinner === undefined || this.#clock !== undefined) return
    this.#clock = setInterval(() => this.#tick(), 100)
    this.#spinner.start()
  }

  line(text: string): void {
    this.#spinner?.stop()
    this.#stream?.write(`${text}\n`)
    if (this.#clock === undefined) return
    this.#tick()
    this.#spinner?.start()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#clock)
    this.#clock = undefined
    this.#spinner?.stop()
  }

  #tick(): void {
    if (this.#spinner !== undefined) this.#spinner.text = this.#now()
  }
}
