import type { RunEvent, RunWithSteps } from '../../sdk/index.ts'
import { ProgressLines } from './lines.ts'
import type { ProgressView } from './view.ts'

/** One line for whatever is finished, without control characters: for pipes and log files. */
export class PlainView implements ProgressView {
  readonly #stream: NodeJS.WritableStream
  readonly #lines: ProgressLines

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream
    this.#lines = new ProgressLines(stream)
  }

  event(event: RunEvent): void {
    const line = this.#lines.take(event)
    if (line !== undefined) this.#stream.write(`${line}\n`)
  }

  rest(run: RunWithSteps): void {
    this.#stream.write(`${this.#lines.summary(run)}\n`)
  }

  close(): void {}
}
