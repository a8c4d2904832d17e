import { styleText } from 'node:util'
import type { RunEvent, RunWithSteps, StepText } from '../sdk/index.ts'
import { cost, duration, elapsed, tokens } from './format.ts'
import { dim, oneLine, type Output } from './output.ts'
import { shell } from './shell.ts'
import { sign } from './signs.ts'
import { StatusLine } from './status-line.ts'

/** Length of the model's text that is shown on the status line. */
const shownUnits = 60

/** Shows a followed run: finished steps as lines, the current one with its time. */
export class RunProgress {
  readonly #status: StatusLine
  /** The current step. */
  #step: { role: string; model: string; startedAt: string } | undefined
  /** What the step is doing, if not waiting for the model. */
  #activity: string | undefined
  /** The end of the model's text. */
  #said = ''

  constructor(output: Output) {
    const beganAt = Date.now()
    this.#status = new StatusLine(output, () => {
      const since = this.#step === undefined ? beganAt : Date.parse(this.#step.startedAt)
      const time = duration(Date.now() - since)
      if (this.#step === undefined) return dim(time)
      const { role, model } = this.#step
      return `${role}  ${dim([model, this.#activity, time].filter(Boolean).join('  '))}`
    })
    this.#status.start()
  }

  /** Whether there is a terminal to show text as it arrives. */
  get isLive(): boolean {
    return this.#status.isLive
  }

  /** Shows the end of the model's text. */
  text({ type, text }: StepText): void {
    this.#said = ((type === 'step.text' ? '' : this.#said) + text).slice(-shownUnits)
    this.#activity = oneLine(this.#said, shownUnits)
  }

  event(event: RunEvent): void {
    const line = this.#take(event)
    this.#status.start()
    if (line !== undefined) this.#status.line(line)
  }

  /** The run is idle; more events follow if it continues. */
  rest(run: RunWithSteps): void {
    this.close()
    this.#status.line(this.#summary(run))
  }

  close(): void {
    this.#status[Symbol.dispose]()
  }

  /** The line that an event adds to the finished lines; undefined for none. */
  #take(event: RunEvent): string | undefined {
    const { type, created_at: at } = event
    switch (type) {
      case 'step.started':
        this.#step = { role: text(event, 'role'), model: text(event, 'model'), startedAt: at }
        this.#activity = undefined
        this.#said = ''
        return undefined
      case 'step.completed':
      case 'step.failed':
        return this.#finish(event)
      case 'tool.started':
        this.#activity = text(event, 'tool')
        return undefined
      case 'tool.completed':
        this.#activity = undefined
        return `  ${dim(`${text(event, 'tool')} ${text(event, 'status')}`.trim())}`
      case 'step.cut':
        return `  ${this.#style('yellow', 'cut off at its limit of output tokens: incomplete')}`
      case 'run.resumed':
        return dim(`${sign('↻', '>')} resumed`)
      default:
        return undefined
    }
  }

  #summary(run: RunWithSteps): string {
    const steps = `${run.total_steps} ${run.total_steps === 1 ? 'step' : 'steps'}`
    const time = elapsed(run.started_at, run.finished_at)
    const counts = `${time}  ${steps}  ${tokens(run.tokens_in, run.tokens_out)}  ${cost(run)}`
    switch (run.status) {
      case 'completed':
        return [
          run.warnings.length > 0
            ? `${this.#style('yellow', 'completed with warnings')}  ${dim(counts)}`
            : `${this.#style('green', 'completed')}  ${dim(counts)}`,
          ...run.warnings.map(({ message }) => this.#style('yellow', oneLine(message, 2_000))),
        ].join('\n')
      case 'failed':
        return `${this.#style('red', 'failed')}  ${dim(counts)}\n${oneLine(run.error ?? '', 2_000)}`
      case 'waiting_input':
        return `${this.#style('yellow', 'waits for a human')}  ${oneLine(run.pending?.prompt ?? '', 2_000)}`
      default:
        return run.status
    }
  }

  #finish(event: RunEvent): string {
    const { type, created_at: at } = event
    const startedAt = this.#step?.startedAt ?? at
    this.#step = undefined
    this.#activity = undefined
    const mark =
      type === 'step.completed'
        ? this.#style('green', sign('✔', '+'))
        : this.#style('red', sign('✖', 'x'))
    const took = duration(Date.parse(at) - Date.parse(startedAt))
    const counts = [
      text(event, 'model'),
      took,
      tokens(number(event, 'tokens_in'), number(event, 'tokens_out')),
      cost({
        cost_usd: number(event, 'cost_usd'),
        calls_without_price: number(event, 'calls_without_price'),
      }),
    ]
    return `${mark} ${text(event, 'role')}  ${dim(counts.join('  '))}`
  }

  #style(format: Parameters<typeof styleText>[0], text: string): string {
    return styleText(format, text, { stream: shell().stderr })
  }
}

/** Events come from outside and may change: missing or odd values show as nothing. */
function text({ data }: RunEvent, name: string): string {
  const value: unknown = Reflect.get(data, name)
  return typeof value === 'string' ? oneLine(value, 200) : ''
}

function number({ data }: RunEvent, name: string): number {
  const value: unknown = Reflect.get(data, name)
  return typeof value === 'number' ? value : 0
}
