import { nameOf, type NodeAddress } from './spread.ts'

/**
 * Nodes of a distributed database that take connections and do not answer, as where their host, its network or its
 * disk stands still. Who waits for one holds a connection that others need. So a statement that is late has all
 * nodes tried, by the coordinator over new connections; what waits for a silent one fails, as where the node was
 * lost, and so does what is asked of it, until it answers again.
 */
export interface SilentNodesOptions {
  /** Whether each node takes a new connection and answers. Where it fails, nothing is known. */
  tryAll: () => Promise<Trial[]>
  /** A trial found a silent node: what waits for it by other ways may be given up. */
  onSilence?: () => void
  times?: typeof defaultTimes
}

export interface Trial {
  node: NodeAddress
  answers: boolean
}

/** A statement that has not been answered for so long is late. */
export const lateMs = 1_500
/** How soon silent nodes are tried again. */
const againMs = 2_000
const defaultTimes = { lateMs, againMs }

export class SilentNodes implements Disposable {
  readonly #options: SilentNodesOptions
  readonly #times: typeof defaultTimes
  readonly #names = new Set<string>()
  readonly #waiting = new Set<Waiting>()
  #trial: Promise<void> | undefined
  #again: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: SilentNodesOptions) {
    this.#options = options
    this.#times = options.times ?? defaultTimes
  }

  /** Fails where the node is silent; without a node, where any is. */
  check(node: NodeAddress | undefined): void {
    if (this.#names.size === 0) return
    if (node === undefined || this.#names.has(nameOf(node))) throw new NodeSilent(node)
  }

  /** Waits for work on a node, or on all of them, no longer than it answers. */
  async hear<T>(node: NodeAddress | undefined, work: () => Promise<T>): Promise<T> {
    this.check(node)
    const { promise: silence, reject } = Promise.withResolvers<never>()
    const waiting = { node, reject }
    this.#waiting.add(waiting)
    const late = setTimeout(() => void this.#try(), this.#times.lateMs)
    try {
      return await Promise.race([work(), silence])
    } finally {
      clearTimeout(late)
      this.#waiting.delete(waiting)
    }
  }

  #try(): Promise<void> {
    this.#trial ??= this.#tryAll().finally(() => (this.#trial = undefined))
    return this.#trial
  }

  async #tryAll(): Promise<void> {
    const trials = await this.#options.tryAll().catch(() => [])
    if (this.#isClosed) return
    for (const { node, answers } of trials) {
      const name = nameOf(node)
      if (answers) this.#names.delete(name)
      else this.#names.add(name)
    }
    for (const { node, reject } of this.#waiting) {
      if (this.#names.size > 0 && (node === undefined || this.#names.has(nameOf(node)))) {
        reject(new NodeSilent(node))
      }
    }
    if (this.#names.size === 0) return
    this.#options.onSilence?.()
    clearTimeout(this.#again)
    this.#again = setTimeout(() => void this.#try(), this.#times.againMs).unref()
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#again)
  }
}

interface Waiting {
  node: NodeAddress | undefined
  reject: (error: NodeSilent) => void
}

/** An outage, by its code. */
class NodeSilent extends Error {
  readonly code = 'ETIMEDOUT'

  constructor(node: NodeAddress | undefined) {
    super(
      node === undefined ? 'A node does not answer' : `The node ${nameOf(node)} does not answer`,
    )
  }
}
