import { marksOfChange } from './marks.ts'
import type { Change } from './run.ts'
import type { ShownEntry, StepStart } from './step.ts'
import { usedColumns } from './usage.ts'

/**
 * A change as the statement of step boundaries reads it out of JSON. Fields that are undefined are left out: each
 * costs both sides a little, and most changes lack most of them.
 */
export function toChangeRow(
  { ended, next, wait, warnings = [], ...change }: Change,
  number: number,
): Record<string, unknown> {
  return {
    number,
    run_id: change.runId,
    account_id: change.accountId,
    attempt: change.attempt,
    status: change.status,
    position: ended?.position,
    output: ended?.output ?? undefined,
    output_json: ended?.outputJson,
    step_error: ended?.error ?? undefined,
    model: ended?.facts?.model,
    duration_ms: ended?.facts?.durationMs,
    request_id: ended?.facts?.requestId ?? undefined,
    tools_hash: ended?.facts?.toolsHash ?? undefined,
    finish_reason: ended?.facts?.finishReason,
    ...(ended && usedColumns(ended.usage)),
    error: change.error ?? undefined,
    error_code: change.errorCode ?? undefined,
    // One that is cancelled while queued never began.
    begins: change.events.some(({ type }) => type === 'run.started') || undefined,
    next_id: next?.id,
    next_position: next?.position,
    next_role: next?.role,
    next_model: next?.model,
    next_agent_id: next?.agentId ?? undefined,
    next_memory: next === null ? undefined : memoryOf(next),
    pending: wait?.pending,
    timeout_seconds: wait?.timeoutSeconds,
    marks: marksOfChange(next?.agentId ?? null, change.error),
    warnings: warnings.length === 0 ? undefined : warnings,
    event_count: change.events.length,
    events: change.events,
  }
}

/** Most steps show no memory, and store none. */
export function memoryOf({ memory }: StepStart): ShownEntry[] | undefined {
  return memory.length === 0 ? undefined : memory
}
