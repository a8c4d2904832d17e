import type { RunsListAllQuery } from '../../sdk/generated.ts'
import { runStates, type RunState } from './status.ts'

/** What the list of runs shows, as it stands in the address. */
export interface Filters {
  state?: RunState
  workflow?: string
  since?: Since
}

export type Since = 'hour' | 'day' | 'week'

const hourMs = 3_600_000
export const spans: Record<Since, { label: string; ms: number }> = {
  hour: { label: 'The last hour', ms: hourMs },
  day: { label: 'The last 24 hours', ms: 24 * hourMs },
  week: { label: 'The last 7 days', ms: 7 * 24 * hourMs },
}

export function readFilters({ state, workflow, since }: Record<string, unknown>): Filters {
  return {
    ...(typeof state === 'string' && state in runStates ? { state: state as RunState } : {}),
    ...(typeof workflow === 'string' && workflow.startsWith('wf_') ? { workflow } : {}),
    ...(typeof since === 'string' && since in spans ? { since: since as Since } : {}),
  }
}

/** Those failures that nobody asked for. */
const failures = 'step_failed,agent_paused,wait_expired,budget_exceeded,internal'

/** The filters in the words of the API, where cancelled is a kind of failed. */
export function queryOf({ state, workflow, since }: Filters, now: number): RunsListAllQuery {
  return {
    ...(state === undefined ? {} : { status: state === 'cancelled' ? 'failed' : state }),
    ...(state === 'failed' ? { error_code: failures } : {}),
    ...(state === 'cancelled' ? { error_code: 'cancelled' } : {}),
    ...(workflow === undefined ? {} : { workflow_id: workflow }),
    ...(since === undefined
      ? {}
      : { created_after: new Date(now - spans[since].ms).toISOString() }),
  }
}
