import yoctoSpinner, { type Spinner } from 'yocto-spinner'
import type { RunEvent, RunWithSteps } from '../../sdk/index.ts'
import { duration } from '../format.ts'
import { dim } from '../output.ts'
import { ProgressLines } from './lines.ts'
import type { ProgressView } from './view.ts'

/** Finished steps as lines, the one in progress as a spinner with its time: for terminals. */
export class LiveView implements ProgressView {
  readonly #stream: NodeJS.WriteStream
  readonly #lines: ProgressLines
  readonly #spinner: Spinner
  #clock: NodeJS.Timeout | undefined
  readonly #beganAt = Date.now()

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
    this.#lines = new ProgressLines(stream)
    this.#spinner = yoctoSpinner({ stream, handleSignals: false, text: 'queued' })
    this.#start()
  }

  event(event: RunEvent): void {
    this.#start()
    const line = this.#lines.take(event)
    if (line !== undefined) this.#write(line)
    this.#tick()
  }

  rest(run: RunWithSteps): void {
    this.close()
    this.#stream.write(`${this.#lines.summary(run)}\n`)
  }

  close(): void {
    clearInterval(this.#clock)
    this.#clock = undefined
    this.#spinner.stop()
  }

  #start(): void {
    if (this.#clock !== undefined) return
    this.#clock = setInterval(() => this.#tick(), 100)
    this.#spinner.start()
  }

  #write(line: string): void {
    this.#spinner.stop()
    this.#stream.write(`${line}\n`)
    this.#spinner.start()
  }

  #tick(): void {
    const { step, activity } = this.#lines
    const since = step === undefined ? this.#beganAt : Date.parse(step.startedAt)
    const time = duration(Date.now() - since)
    this.#spinner.text =
      step === undefined
        ? dim(time)
        : `${step.role}  ${dim([step.model, activity, time].filter(Boolean).join('  '))}`
  }
}
