import type { RunEvent, StepText } from '../../sdk/index.ts'
import { bold, clean } from '../output.ts'
import { shell } from '../shell.ts'

/**
 * Shows agents' text as it is written, under their roles; an unfinished line is ended before other
 * output.
 */
export class Transcript {
  #role = ''
  #isOpen = false

  text({ type, offset, text }: StepText): void {
    const isNew = type === 'step.text' || offset === 0
    if (isNew) {
      this.#end()
      this.#write(`\n${bold(`${this.#role} writes`, shell().stderr)}\n`)
    }
    this.#write(clean(text))
    this.#isOpen = !text.endsWith('\n')
  }

  /** Called before the event is shown. */
  event({ type, data }: RunEvent): void {
    if (type === 'step.started') this.#role = data.role
    this.#end()
  }

  #end(): void {
    if (this.#isOpen) this.#write('\n')
    this.#isOpen = false
  }

  #write(text: string): void {
    shell().stderr.write(text)
  }
}
