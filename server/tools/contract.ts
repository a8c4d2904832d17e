import type { JSONSchema7 } from '@ai-sdk/provider'

/**
 * What the executor knows of tools. An action is something that an agent may do, named
 * `<connector>.<action>`; a tool is an action opened for one account, ready to be called. Whoever
 * calls one has asked the ledger and, where the workflow wants it, a person.
 */
export interface Action {
  /** `<connector>.<action>`, such as `email.send`. */
  id: string
  description: string
  /** JSON Schema of the arguments, an object. */
  inputSchema: JSONSchema7
  /** Set where somebody else wrote `inputSchema`, which then is neither compiled nor fully enforced. */
  isForeign?: true
  /**
   * Whether it writes outside or could. A sensitive action waits for approval by default and is never
   * repeated on its own; one that is not only reads, and may be repeated after a crash.
   */
  sensitive: boolean
  /** Bytes of JSON that its arguments may have, where that is not 32 KB. */
  maxInputBytes?: number
}

/** Its calls are counted, for the policy `mails_a_day`. */
export const mailAction = 'email.send'

/** They read what is public. */
export const fetchAction = 'web.fetch'
export const searchAction = 'web.search'

export interface Tool extends Action {
  /** Changes with what it says of itself and with its connection (`versionOfTool`). */
  version: string
  /** Why it cannot be called now, for the agent and its people; undefined when it can. */
  unavailable?: string | undefined
  /**
   * Calls once, with arguments that fit `inputSchema`, and nothing is retried. Rejects only on a
   * defect of Muster: what the other side does wrong is a result. Muster's own tools reject with
   * `files_unavailable` where nothing was done and the same call may work later: the run is held.
   */
  call(input: Record<string, unknown>, options: ToolCallOptions): Promise<ToolResult>
}

export interface ToolCallOptions {
  /** Stays the same for one call of the ledger; handed to the other side where it takes one. */
  idempotencyKey: string
  /** Aborts at the call's time-out or when the run ends. */
  signal: AbortSignal
  /** The run that calls; without one, nothing is remembered from call to call. */
  run?: CallingRun
  /** The other side is still at work: the call gets more time, up to a maximum. */
  onProgress?: () => void
}

/** Longest that a call whose other side reports progress may take, where its time-out is shorter. */
export const maxCallMs = 600_000

export interface CallingRun {
  runId: string
  /** Changes whenever the run is taken. */
  attempt: number
  /** Whether the run has called the connector before, apart from these calls. */
  hasOtherCalls(connectorId: string, callIds: readonly string[]): Promise<boolean>
}

export interface ToolResult {
  /**
   * `failed`: the action surely did not happen. `unknown`: it may have happened, for example when the
   * connection broke after the request was sent. Where that is not sensitive it counts as `failed`.
   */
  status: 'succeeded' | 'failed' | 'unknown'
  /** What the agent gets: the result, or what went wrong in words. Holds no secret. */
  output: string
}
