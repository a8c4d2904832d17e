import { extname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { DomainError } from '../errors.ts'
import type { Limits } from '../limits.ts'
import type { Slots } from '../slots.ts'
import { Thread, type Bounds, type RunOptions, type TaskAddress } from './thread.ts'

/**
 * Work whose cost a stranger decides: parsing mail, templates, conditions, schemas, documents and the like. It runs in
 * threads of this process (`thread.ts`), so that it can be ended at a limit of time or memory, while requests and other
 * accounts go on. There are two lines, for quick and for long tasks; each shares its threads among accounts, and what
 * waits is bounded. A task is a function of a file of its own: it gets and returns plain data, and knows no database
 * and no network. Small work may stay outside, where a check that costs less bounds it first.
 */
export class Sandbox {
  readonly #lines: Record<LineName, Slots>
  readonly #idle: Record<LineName, Thread[]> = { quick: [], long: [] }

  constructor({ quickTasks: quick, longTasks: long }: Pick<Limits, 'quickTasks' | 'longTasks'>) {
    this.#lines = { quick, long }
  }

  /** A thread until it is disposed. `url` is the file that should be loaded already. */
  async take(
    line: LineName,
    { accountId, action }: Pick<Caller, 'accountId' | 'action'>,
    url: string,
  ): Promise<Disposable & { thread: Thread }> {
    const slot = await this.#lines[line].take(accountId, action)
    const idle = this.#idle[line]
    const known = idle.findLastIndex((thread) => thread.has(url))
    const [thread = new Thread()] = idle.splice(known, 1)
    return {
      thread,
      [Symbol.dispose]: () => {
        idle.push(thread)
        slot[Symbol.dispose]()
      },
    }
  }
}

type LineName = 'quick' | 'long'

export interface Caller {
  accountId: string
  /** For the error if there is no room, such as "trigger run". */
  action: string
  sandbox: Sandbox
}

interface Definition<Task> extends Bounds {
  line: LineName
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
    using taken = await caller.sandbox.take(line, caller, address.url)
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
