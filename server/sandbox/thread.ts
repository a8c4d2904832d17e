import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import Tinypool from 'tinypool'

/**
 * A thread that works on one task at a time. The task's time and memory are watched; at a limit the thread is ended and
 * `run` rejects with a `TaskEnded`. The next task gets a new thread, so nothing of an ended one remains.
 */
export interface Bounds {
  /** Processor time of the task, without loading its code: a busy machine makes it slow, not refused. */
  maxMs: number
  /** Heap and buffers of the thread, with its code and the task's input. */
  maxMb: number
}

/** Why a task has no result, in words that follow "Cannot read the file: ". */
export class TaskEnded extends Error {
  override readonly name = 'TaskEnded'
  readonly reason: 'time' | 'memory' | 'error' | 'aborted'

  constructor(reason: TaskEnded['reason'], why: string, cause?: unknown) {
    super(why, { cause })
    this.reason = reason
  }
}

/** An exported function of a file that nothing else than threads has to load. */
export interface TaskAddress {
  url: string
  name: string
}

export interface RunOptions {
  transfer?: ArrayBuffer[]
  signal?: AbortSignal
}

const checkEveryMs = 10
/** A task that waits, or whose thread gets no processor, is ended after this many times its limit. */
const longestWait = 10
const maxLoadMs = 60_000
/** An idle thread is kept for the next task, because loading its code takes longer than most tasks. */
const idleTimeout = 10_000
/** A thread that holds more after a task is replaced, so that one task's leftovers never count for the next. */
const keptBytes = 64 * 1024 * 1024
/**
 * V8 ends the whole process if one allocation exceeds a thread's limit. So its limit is far above the watched one,
 * which ends the thread between two allocations.
 */
const resourceLimits = { maxOldGenerationSizeMb: 2_048, maxYoungGenerationSizeMb: 16 }

export class Thread implements AsyncDisposable {
  readonly #pool: Tinypool
  #worker: Worker | undefined
  #loaded = new Set<string>()

  constructor() {
    this.#pool = new Tinypool({
      // TypeScript in a checkout, JavaScript in the compiled package.
      filename: new URL(`./run-task${extname(import.meta.url)}`, import.meta.url).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout,
      resourceLimits,
    })
    // The failed task reports its error; one without a task only means that the thread is gone.
    this.#pool.on('error', () => {})
  }

  /** Whether a file is loaded, so that a task of it starts at once. */
  has(url: string): boolean {
    return this.#current() === this.#worker && this.#loaded.has(url)
  }

  async run(
    { url, name }: TaskAddress,
    input: unknown,
    bounds: Bounds,
    { transfer = [], signal }: RunOptions = {},
  ): Promise<unknown> {
    if (!this.has(url)) {
      await this.#watch('load', url, { ...bounds, maxMs: maxLoadMs }, [], signal)
      if (this.#worker !== this.#current()) this.#loaded = new Set()
      this.#worker = this.#current()
      this.#loaded.add(url)
    }
    return this.#watch('run', { url, name, input }, bounds, transfer, signal)
  }

  /** Ends the thread, whatever it does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy()
  }

  async #watch(
    name: string,
    input: unknown,
    { maxMs, maxMb }: Bounds,
    transferList: ArrayBuffer[],
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    if (signal?.aborted === true) throw new TaskEnded('aborted', 'the request has ended')
    const ending = new AbortController()
    let ended: TaskEnded | undefined
    const end = (reason: TaskEnded['reason'], why: string): void => {
      ended ??= new TaskEnded(reason, why)
      ending.abort()
    }
    const onAbort = (): void => end('aborted', 'the request has ended')
    signal?.addEventListener('abort', onAbort)
    const late = (): void => end('time', `it takes more than ${maxMs / 1_000} s`)
    const timer = setTimeout(late, longestWait * maxMs)
    const startedMs = workedMs(this.#current())
    const check = setInterval(() => {
      const worker = this.#current()
      void usedBytes(worker).then((bytes) => {
        if (bytes > maxMb * 1024 * 1024) end('memory', tooMuchMemory)
      })
      void Promise.all([startedMs, workedMs(worker)]).then(([before, now]) => {
        if (now - before > maxMs) late()
      })
    }, checkEveryMs)
    try {
      // The library's type is that of another overload of `postMessage`.
      const options = { name, transferList: transferList as never, signal: ending.signal }
      return await this.#pool.run(input, options)
    } catch (error) {
      throw ended ?? explain(error)
    } finally {
      // The pool's own limit does not count buffers. The timers keep the process alive meanwhile, as an idle thread does not.
      if ((await usedBytes(this.#current())) > keptBytes) await this.#pool.recycleWorkers()
      clearTimeout(timer)
      clearInterval(check)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  #current(): Worker | undefined {
    // The library's type leaves out the thread of its worker.
    const [worker] = this.#pool.threads as unknown as { thread: Worker }[]
    return worker?.thread
  }
}

const tooMuchMemory = 'it takes too much memory'

async function usedBytes(worker: Worker | undefined): Promise<number> {
  // A thread that starts or has ended has no statistics.
  const statistics = await worker?.getHeapStatistics().catch(() => undefined)
  return (statistics?.used_heap_size ?? 0) + (statistics?.external_memory ?? 0)
}

/** Processor time of a thread so far. */
async function workedMs(worker: Worker | undefined): Promise<number> {
  const { user = 0, system = 0 } = (await worker?.cpuUsage().catch(() => undefined)) ?? {}
  return (user + system) / 1_000
}

function explain(error: unknown): TaskEnded {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new TaskEnded('memory', tooMuchMemory)
    : new TaskEnded('error', (message || 'it fails').slice(0, 300), error)
}
