import { MusterError } from './errors.ts'
import type { ClaimedCall } from './generated.ts'
import { delay } from './time.ts'
import type { Transport } from './transport.ts'

/**
 * Executes calls of tools in this process: claims them from the service, calls your functions, and
 * reports what they return. The service needs no way to reach this process.
 */
export interface ServedCall {
  /** Id of the call: the same for each try, so it can be an idempotency key elsewhere. */
  callId: string
  runId: string
  /** Name of the tool. */
  name: string
  /** How often the call was given to a worker, this time included. */
  try: number
  /** Aborts when the call is no longer this worker's, such as when its run was cancelled. */
  signal: AbortSignal
}

/**
 * The output is what it returns, as JSON; `undefined` is null. What it throws is the error for the
 * agent. If nothing happened and another try may work, throw an error with `retryable: true`.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- the schema of the tool decides
export type ToolFunction = (input: any, call: ServedCall) => unknown

export interface ServeOptions {
  /** Maximum calls at a time; 10 by default. */
  concurrency?: number
  /** How long the service waits for a sign of this process before the call is lost; 60 by default. */
  leaseSeconds?: number
  /** Aborts to stop: no more calls are claimed, and those in progress are finished. */
  signal?: AbortSignal
  /** Failures that `serve` survives, such as an unreachable service, and lost calls. */
  onError?: (error: unknown, call?: ServedCall) => void
}

/** The service answers a claim without calls after this time. */
const waitSeconds = 20
const maxPerClaim = 50
const firstPauseMs = 250
/** The service's clock decides whether a report is in time, and may differ. */
const graceMs = 60_000
const longestPauseMs = 8_000

export class Tools {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Serves tools by their names until the signal aborts; then it resolves when the calls in progress
   * are finished. Rejects if the service refuses the key. Use a key with the role `worker`.
   */
  async serve(tools: Record<string, ToolFunction>, options: ServeOptions = {}): Promise<void> {
    const { concurrency = 10, leaseSeconds = 60, signal, onError = () => {} } = options
    const names = Object.keys(tools)
    if (names.length === 0) throw new TypeError('Cannot serve tools: none is given')
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new TypeError(`Cannot serve tools: concurrency is ${concurrency}, expected 1 or more`)
    }
    const running = new Set<Promise<void>>()
    const isStopped = (): boolean => signal?.aborted === true
    let pauseMs = firstPauseMs
    try {
      while (!isStopped()) {
        const free = concurrency - running.size
        if (free === 0) {
          await Promise.race(running)
          continue
        }
        try {
          const limit = Math.min(free, maxPerClaim)
          const claim = { names, limit, lease_seconds: leaseSeconds, wait_seconds: waitSeconds }
          for (const call of await this.#claim(claim, signal)) {
            const done = this.#execute(tools, call, leaseSeconds, onError).finally(() =>
              running.delete(done),
            )
            running.add(done)
          }
          pauseMs = firstPauseMs
        } catch (error) {
          if (isStopped()) break
          if (isFinal(error)) throw error
          onError(error)
          await delay(pauseMs * (0.5 + Math.random() / 2), signal).catch(() => {})
          pauseMs = Math.min(2 * pauseMs, longestPauseMs)
        }
      }
    } finally {
      await Promise.all(running)
    }
  }

  #claim(body: object, signal: AbortSignal | undefined): Promise<ClaimedCall[]> {
    // A repeated claim would get other calls, so a lost response is left to the lease.
    const request = { method: 'POST', path: '/v1/tool-calls/claim', body, isPlain: true } as const
    const timeoutMs = (waitSeconds + 30) * 1_000
    return this.#transport.data<ClaimedCall[]>(request, { signal, timeoutMs })
  }

  /** Never rejects. */
  async #execute(
    tools: Record<string, ToolFunction>,
    claimed: ClaimedCall,
    leaseSeconds: number,
    onError: NonNullable<ServeOptions['onError']>,
  ): Promise<void> {
    const lost = new AbortController()
    const { id: callId, run_id: runId, name, input } = claimed
    const call = { callId, runId, name, try: claimed.try, signal: lost.signal }
    const beating = new AbortController()
    const beats = this.#keepLease(claimed, leaseSeconds, lost, beating.signal)
    const report = await outcomeOf(tools[name], input, call)
    beating.abort()
    await beats
    try {
      await this.#report(claimed, report)
    } catch (error) {
      onError(error, call)
    }
  }

  /** Renews the lease until the call is finished; aborts it when it is lost. */
  async #keepLease(
    { id, lease }: ClaimedCall,
    leaseSeconds: number,
    lost: AbortController,
    finished: AbortSignal,
  ): Promise<void> {
    const body = { lease, lease_seconds: leaseSeconds }
    const request = { method: 'POST', path: pathOf(id, 'heartbeat'), body, isPlain: true } as const
    const everyMs = (leaseSeconds * 1_000) / 3
    while (!finished.aborted) {
      try {
        await delay(everyMs, finished)
        await this.#transport.data(request, { signal: finished, timeoutMs: everyMs })
      } catch (error) {
        if (finished.aborted) return
        // Without an answer the lease may still hold: the next try will tell.
        if (!isRefusal(error)) continue
        lost.abort(error)
        return
      }
    }
  }

  /** Reports until the service has answered, or the time of the call is over. */
  async #report({ id, lease, expires_at: end }: ClaimedCall, report: object): Promise<void> {
    const body = { lease, ...report }
    const request = { method: 'POST', path: pathOf(id, 'result'), body, isPlain: true } as const
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        await this.#transport.data(request)
        return
      } catch (error) {
        if (isRefusal(error) || Date.now() > Date.parse(end) + graceMs) throw error
        await delay(pauseMs * (0.5 + Math.random() / 2))
      }
    }
  }
}

async function outcomeOf(
  tool: ToolFunction | undefined,
  input: unknown,
  call: ServedCall,
): Promise<object> {
  try {
    if (tool === undefined) throw new Error(`There is no tool ${call.name} here`)
    return { output: (await tool(input, call)) ?? null }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    const retryable = (error as { retryable?: unknown } | null | undefined)?.retryable === true
    const message = text.slice(0, 10_000) || 'The tool failed'
    return { error: { message, ...(retryable && { retryable }) } }
  }
}

function pathOf(id: string, verb: string): string {
  return `/v1/tool-calls/${encodeURIComponent(id)}/${verb}`
}

/** A refusal of the service that a repeat would not change. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof MusterError)) return false
  return error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status)
}

/** The key, or the request itself, is refused. */
function isFinal(error: unknown): boolean {
  return error instanceof MusterError && [400, 401, 403, 404].includes(error.status)
}
