import type { JSONSchema7 } from '@ai-sdk/provider'
import { createHash } from 'node:crypto'

/**
 * The tools of agents, for the executor. An action is something that an agent may do, named
 * `<connector>.<action>`; a tool is an action opened for one account, ready to be called. Callers
 * must have asked the ledger first and, if the workflow requires it, a person.
 */
export interface Action {
  /** `<connector>.<action>`, such as `email.send`. */
  id: string
  description: string
  /** JSON Schema of the arguments, an object. */
  inputSchema: JSONSchema7
  /**
   * Set if `inputSchema` was written by an MCP server; it is then neither compiled nor fully
   * enforced.
   */
  isForeign?: true
  /**
   * JSON text of a schema that a user of the account wrote; arguments are checked against all of it, in the sandbox if
   * that may take long.
   */
  schemaText?: string
  /**
   * Whether it has, or may have, an effect outside. A sensitive action needs approval by default
   * and is never repeated automatically; any other only reads, and may be repeated after a crash.
   */
  sensitive: boolean
  /** Limit of its arguments in bytes of JSON, if not 32 KB. */
  maxInputBytes?: number
}

/** Action whose calls count for the policy `mails_a_day`. */
export const mailAction = 'email.send'

/** Actions that read public content. */
export const fetchAction = 'web.fetch'
export const searchAction = 'web.search'

export interface Tool extends Action {
  /** Changes with its definition and its connection (`versionOfTool`). */
  version: string
  /** Why it cannot be called now, for the agent and for people; undefined if it can. */
  unavailable?: string | undefined
  /** Set for a caller's tool: its calls are requested of the account's workers instead of made here. */
  request?: ToolRequest
  /**
   * Calls once, with arguments that fit `inputSchema`; nothing is retried. Rejects only for a
   * defect of Muster: failures outside are results. Muster's own tools reject with
   * `files_unavailable` if nothing was done and the same call may succeed later: the run is held.
   */
  call(input: Record<string, unknown>, options: ToolCallOptions): Promise<ToolResult>
}

interface ToolRequest {
  /** The action without `app.`. */
  name: string
  /** How long a request lasts. */
  timeoutSeconds: number
}

export interface ToolCallOptions {
  /** The same for each try of one call; passed on to services that support it. */
  idempotencyKey: string
  /** Aborts at the call's timeout or when the run ends. */
  signal: AbortSignal
  /** The calling run; without one, no session is kept between calls. */
  run?: CallingRun
  /** Reports that the service is still working: extends the timeout, up to a maximum. */
  onProgress?: () => void
}

/** Longest that a call may take while it reports progress, even if its timeout is shorter. */
export const maxCallMs = 600_000

export interface CallingRun {
  runId: string
  /** Changes whenever the run is taken. */
  attempt: number
  /** The user who triggered the run; null for runs of keys, schedules, hooks and the like. */
  findPerson(): Promise<string | null>
  /** Whether the run has called the connector before, other than with these calls. */
  hasOtherCalls(connectorId: string, callIds: readonly string[]): Promise<boolean>
}

export interface ToolResult {
  /**
   * `failed`: the action certainly did not happen. `unknown`: it may have, for example if the
   * connection broke after the request was sent; for an action that is not sensitive this counts as
   * `failed`.
   */
  status: 'succeeded' | 'failed' | 'unknown'
  /** The result for the agent, or what went wrong. Contains no secrets. */
  output: string
  /** The whole answer where the output is only its head; the worker keeps it as a file of the run. */
  file?: { name: string; content: Buffer }
}

/** SHA-256 of an action's description and input schema. */
export function hashTool({
  description,
  inputSchema,
}: {
  description: string
  inputSchema: unknown
}): string {
  return createHash('sha256').update(canonical({ description, inputSchema })).digest('hex')
}

/**
 * The version that an approval is bound to besides the arguments: the definition of the action, and
 * the connection that it uses.
 */
export function versionOfTool(hash: string, connection: string): string {
  return createHash('sha256').update(`${hash} ${connection}`).digest('hex').slice(0, 32)
}

/** JSON that does not depend on the order of keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}

/**
 * Tool names for providers, which accept letters, digits, `_` and `-`, at most 64. `email.send`
 * becomes `email__send`; a name that is too long or ambiguous gets a hash.
 */
export function wireNames(toolIds: string[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const id of toolIds) {
    const plain = plainName(id)
    const name = plain.length > maxLength || names.has(plain) ? withHash(plain, id) : plain
    names.set(name, id)
  }
  return names
}

/** An invented tool name in a form that providers accept. */
export function madeUpName(name: string): string {
  return plainName(name).slice(0, maxLength) || '_'
}

function plainName(id: string): string {
  return id.replaceAll('.', '__').replaceAll(/[^A-Za-z0-9_-]/g, '_')
}

const maxLength = 64
const hashLength = 8

function withHash(plain: string, id: string): string {
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashLength)
  return `${plain.slice(0, maxLength - hashLength - 1)}_${hash}`
}
