import { nodeName, type NodeAddress } from './shard-map.ts'

/**
 * Nodes that accept connections but do not respond, because their host, network or disk hangs. A
 * statement that waits for such a node holds a connection that others need. So when a statement is
 * late, the coordinator checks all nodes over new connections. Statements that wait for an
 * unresponsive node then fail, as if the node was lost, and so do new ones, until it responds
 * again.
 */
export interface UnresponsiveNodesOptions {
  /**
   * Checks whether each node accepts a new connection and answers. If the check fails, nothing is
   * known.
   */
  tryAll: () => Promise<NodeHealth[]>
  /** A check found an unresponsive node: other statements that may wait for it can be ended. */
  onFound?: () => void
  times?: typeof defaultTimes
}

export interface NodeHealth {
  node: NodeAddress
  answers: boolean
}

/** A statement is late if it has had no answer for this long. */
export const lateMs = 1_500
/** How soon unresponsive nodes are checked again. */
const againMs = 2_000
const defaultTimes = { lateMs, againMs }

export class UnresponsiveNodes implements Disposable {
  readonly #options: UnresponsiveNodesOptions
  readonly #times: typeof defaultTimes
  readonly #names = new Set<string>()
  readonly #waiting = new Set<Waiting>()
  #check: Promise<void> | undefined
  #again: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: UnresponsiveNodesOptions) {
    this.#options = options
    this.#times = options.times ?? defaultTimes
  }

  /** Fails if the node is unresponsive; without a node, if any is. */
  check(node: NodeAddress | undefined): void {
    if (this.#names.size === 0) return
    if (node === undefined || this.#names.has(nodeName(node))) throw new NodeUnresponsive(node)
  }

  /** Waits for work on a node, or on all nodes, unless one becomes unresponsive. */
  async during<T>(node: NodeAddress | undefined, work: () => Promise<T>): Promise<T> {
    this.check(node)
    const { promise: unresponsive, reject } = Promise.withResolvers<never>()
    const waiting = { node, reject }
    this.#waiting.add(waiting)
    const late = setTimeout(() => void this.#try(), this.#times.lateMs)
    try {
      return await Promise.race([work(), unresponsive])
    } finally {
      clearTimeout(late)
      this.#waiting.delete(waiting)
    }
  }

  #try(): Promise<void> {
    this.#check ??= this.#tryAll().finally(() => (this.#check = undefined))
    return this.#check
  }

  async #tryAll(): Promise<void> {
    const found = await this.#options.tryAll().catch(() => [])
    if (this.#isClosed) return
    for (const { node, answers } of found) {
      const name = nodeName(node)
      if (answers) this.#names.delete(name)
      else this.#names.add(name)
    }
    for (const { node, reject } of this.#waiting) {
      if (this.#names.size > 0 && (node === undefined || this.#names.has(nodeName(node)))) {
        reject(new NodeUnresponsive(node))
      }
    }
    if (this.#names.size === 0) return
    this.#options.onFound?.()
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
  reject: (error: NodeUnresponsive) => void
}

/** The code makes `outage.ts` classify it as an outage. */
class NodeUnresponsive extends Error {
  readonly code = 'ETIMEDOUT'

  constructor(node: NodeAddress | undefined) {
    super(
      node === undefined ? 'A node does not answer' : `The node ${nodeName(node)} does not answer`,
    )
  }
}
