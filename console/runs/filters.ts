import { runStates, type RunState } from './status.ts'

/** What the list of runs shows, as it stands in the address. */
export interface Filters {
  state?: RunState
  workflow?: string
}

export function readFilters({ state, workflow }: Record<string, unknown>): Filters {
  return {
    ...(typeof state === 'string' && state in runStates ? { state: state as RunState } : {}),
    ...(typeof workflow === 'string' && workflow.startsWith('wf_') ? { workflow } : {}),
  }
}
