import type { RunEvent, StepText } from '../../sdk/index.ts'
import { bold, clean } from '../output.ts'
import { shell } from '../shell.ts'

/** What agents write while they write it, under their roles; a line that was begun is ended before others are shown. */
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
    if (type === 'step.started') this.#role = String(data['role'])
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
