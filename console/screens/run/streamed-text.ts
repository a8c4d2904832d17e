import type { StepText } from '../../../sdk/runs.ts'

/** The text of a turn so far. */
export interface TurnText {
  order: number
  turn: number
  text: string
  /** Whether the step has ended. */
  isDone: boolean
}

/**
 * The text that is being written, outside of the page's state: updates only reach components that
 * show it, once per frame. It stays until the next turn has text. Updates of two turns may arrive
 * out of order: an earlier turn never replaces a later one.
 */
export class StreamedText {
  #turn: TurnText | undefined
  readonly #listeners = new Set<() => void>()
  readonly #schedule: (notify: () => void) => unknown
  #isScheduled = false

  constructor(schedule: (notify: () => void) => unknown) {
    this.#schedule = schedule
  }

  readonly read = (): TurnText | undefined => this.#turn

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly take = ({ order, turn, offset, text }: StepText): void => {
    const had = this.#turn
    if (had !== undefined && isBefore({ order, turn }, had)) return
    const isSame = had?.order === order && had.turn === turn
    const before = isSame && offset !== undefined ? had.text.slice(0, offset) : ''
    this.#set({ order, turn, text: before + text, isDone: isSame && had.isDone })
  }

  /** The step has ended: no more text follows. */
  end(order: number): void {
    if (this.#turn?.order === order) this.#set({ ...this.#turn, isDone: true })
  }

  #set(turn: TurnText): void {
    this.#turn = turn
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#schedule(() => {
      this.#isScheduled = false
      for (const listener of this.#listeners) listener()
    })
  }
}

type Turn = Pick<TurnText, 'order' | 'turn'>

function isBefore(one: Turn, other: Turn): boolean {
  return one.order === other.order ? one.turn < other.turn : one.order < other.order
}
