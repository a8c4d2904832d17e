/**
 * A task: the server has accepted a call and runs it in the background. Protocol 2025-11-25 answers with the field
 * `task`, the extension of 2026-07-28 with the result type `task`, which the client library does not know. So both
 * become an empty result with the task in its `_meta`.
 */
export interface McpTask {
  taskId: string
  /** `working`, `input_required`, `completed`, `failed` or `cancelled`. */
  status: string
  statusMessage?: unknown
  pollIntervalMs?: unknown
  pollInterval?: unknown
  /** With 2026-07-28, of a task that has ended. */
  result?: unknown
  error?: unknown
}

/** The extension that Muster declares, so that servers may create tasks. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

const metaKey = 'muster/task'

/** The task that a server created instead of answering; undefined if the result is none. */
export function readTask(result: Record<string, unknown>): McpTask | undefined {
  const { resultType, task, ...rest } = result
  if (resultType === 'task') return toTask(rest)
  return 'content' in rest ? undefined : toTask(task)
}

export function withTask(task: McpTask): object {
  const content = [{ type: 'text', text: '' }]
  return { resultType: 'complete', content, isError: false, _meta: { [metaKey]: task } }
}

/** The task in the `_meta` of a call's result. */
export function taskOf({
  _meta: meta,
}: {
  _meta?: Record<string, unknown> | undefined
}): McpTask | undefined {
  return toTask(meta?.[metaKey])
}

export function toTask(value: unknown): McpTask | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { taskId, status } = value as Record<string, unknown>
  return typeof taskId === 'string' && typeof status === 'string' ? (value as McpTask) : undefined
}
