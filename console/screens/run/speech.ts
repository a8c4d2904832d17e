import type { StepText } from '../../../sdk/runs.ts'

/** The text of a turn so far. */
export interface Said {
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
export class Speech {
  #said: Said | undefined
  readonly #listeners = new Set<() => void>()
  readonly #schedule: (tell: () => void) => unknown
  #isScheduled = false

  constructor(schedule: (tell: () => void) => unknown) {
    this.#schedule = schedule
  }

  readonly read = (): Said | undefined => this.#said

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly take = ({ order, turn, offset, text }: StepText): void => {
    const had = this.#said
    if (had !== undefined && isBefore({ order, turn }, had)) return
    const isSame = had?.order === order && had.turn === turn
    const before = isSame && offset !== undefined ? had.text.slice(0, offset) : ''
    this.#set({ order, turn, text: before + text, isDone: isSame && had.isDone })
  }

  /** The step has ended: no more text follows. */
  end(order: number): void {
    if (this.#said?.order === order) this.#set({ ...this.#said, isDone: true })
  }

  #set(said: Said): void {
    this.#said = said
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#schedule(() => {
      this.#isScheduled = false
      for (const listener of this.#listeners) listener()
    })
  }
}

type Turn = Pick<Said, 'order' | 'turn'>

function isBefore(one: Turn, other: Turn): boolean {
  return one.order === other.order ? one.turn < other.turn : one.order < other.order
}
