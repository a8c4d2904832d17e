import { extname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { DomainError } from '../errors.ts'
import { refusal, Slots } from '../slots.ts'
import { Thread, type Bounds, type RunOptions, type TaskAddress } from './thread.ts'

/**
 * Work whose cost a stranger decides: parsing mail, templates, conditions, schemas, documents and the like. It runs in
 * threads of this process (`thread.ts`), so that it can be ended at a limit of time or memory, while requests and other
 * accounts go on. There are two lines, for quick and for long tasks; each shares its threads among accounts, and what
 * waits is bounded. A task is a function of a file of its own: it gets and returns plain data, and knows no database
 * and no network. Small work may stay outside, where a check that costs less bounds it first.
 */
const busy = refusal('too_busy', 'too much work of this kind is in progress, try again later', 5)

class Line {
  readonly #slots: Slots
  readonly #idle: Thread[] = []

  constructor(limits: ConstructorParameters<typeof Slots>[0]) {
    this.#slots = new Slots(limits, busy)
  }

  /** A thread until it is disposed. `url` is the file that should be loaded already. */
  async take({ accountId, action }: Caller, url: string): Promise<Disposable & { thread: Thread }> {
    const slot = await this.#slots.take(accountId, action)
    const known = this.#idle.findLastIndex((thread) => thread.has(url))
    const [thread = new Thread()] = this.#idle.splice(known, 1)
    return {
      thread,
      [Symbol.dispose]: () => {
        this.#idle.push(thread)
        slot[Symbol.dispose]()
      },
    }
  }
}

const lines = {
  quick: new Line({
    active: 4,
    activePerAccount: 2,
    waiting: 1_000,
    waitingPerAccount: 40,
    waitMs: 10_000,
  }),
  long: new Line({
    active: 4,
    activePerAccount: 2,
    waiting: 100,
    waitingPerAccount: 20,
    waitMs: 60_000,
  }),
}

export interface Caller {
  accountId: string
  /** For the error if there is no room, such as "trigger run". */
  action: string
}

interface Definition<Task> extends Bounds {
  line: keyof typeof lines
  /** `import.meta.url` of the caller, and the task's file beside it, without its ending. */
  from: string
  file: `./${string}`
  name: Task extends (input: never) => unknown ? string : never
}

type Run<Task> = Task extends (input: infer Input) => infer Output
  ? (caller: Caller & RunOptions, input: Input) => Promise<Awaited<Output>>
  : never

/**
 * A function that runs a task in a thread. Rejects with a `TaskEnded` if the task fails or reaches a limit, and with a
 * `too_busy` if the account, or the process, has too much of it.
 */
export function defineTask<Task>(definition: Definition<Task>): Run<Task> {
  const { line, name, maxMs, maxMb } = definition
  const address = addressOf(definition)
  const run = async (caller: Caller & RunOptions, input: unknown): Promise<unknown> => {
    using taken = await lines[line].take(caller, address.url)
    return await taken.thread.run(address, input, { maxMs, maxMb }, caller)
  }
  Object.defineProperty(run, 'name', { value: name })
  return run as Run<Task>
}

const roomTries = 300
const roomPauseMs = 200

/** Waits for room up to a minute, for work of runs, which a full line of their account must not fail. */
export async function whenRoom<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isBusy = error instanceof DomainError && error.code === 'too_busy'
      if (!isBusy || tries === roomTries) throw error
      await setTimeout(roomPauseMs)
    }
  }
}

export function addressOf({
  from,
  file,
  name,
}: {
  from: string
  file: string
  name: string
}): TaskAddress {
  return { url: new URL(`${file}${extname(from)}`, from).href, name }
}
