import type { RunsListAllQuery } from '../../sdk/generated.ts'
import { dayMs, hourMs } from '../ui/text/format.ts'
import { runStates, type RunState } from './run-states.ts'

/** Filters of the list of runs, kept in the URL. */
export interface Filters {
  state?: RunState
  workflow?: string
  since?: Since
  agent?: string
  /** `key:value`; runs must have all of them. */
  tag?: string[]
  /** The run whose retries are shown. */
  retried?: string
  /** The run whose forks are shown. */
  forked?: string
  /** Minimum cost in US dollars. */
  cost?: number
  /** The start of an id, or words. */
  find?: string
}

export type Since = 'hour' | 'day' | 'week'

export const spans: Record<Since, { label: string; ms: number }> = {
  hour: { label: 'The last hour', ms: hourMs },
  day: { label: 'The last 24 hours', ms: dayMs },
  week: { label: 'The last 7 days', ms: 7 * dayMs },
}

export const isTag = (text: string): boolean => /^[a-z0-9_.-]{1,40}:[^]{0,200}$/.test(text)

export function readFilters(search: Record<string, unknown>): Filters {
  const { state, workflow, since, agent, tag, retried, forked, cost, find } = search
  const tags = [tag].flat().filter((one) => typeof one === 'string' && isTag(one)) as string[]
  return {
    ...(typeof state === 'string' && state in runStates ? { state: state as RunState } : {}),
    ...(typeof workflow === 'string' && workflow.startsWith('wf_') ? { workflow } : {}),
    ...(typeof since === 'string' && since in spans ? { since: since as Since } : {}),
    ...(typeof agent === 'string' && agent.startsWith('agt_') ? { agent } : {}),
    ...(tags.length > 0 ? { tag: tags.slice(0, mostTags) } : {}),
    ...(typeof retried === 'string' && retried.startsWith('run_')
      ? { retried: retried.slice(0, 100) }
      : {}),
    ...(typeof forked === 'string' && forked.startsWith('run_')
      ? { forked: forked.slice(0, 100) }
      : {}),
    ...(typeof cost === 'number' && cost > 0 ? { cost } : {}),
    ...(typeof find === 'string' && find.length >= 3
      ? { find: find.slice(0, mostFindCharacters) }
      : {}),
  }
}

/** Limit of tags in the API's filter. */
export const mostTags = 5

export const mostFindCharacters = 200

/** Failed runs, without cancelled ones. */
const failures = 'step_failed,agent_paused,wait_expired,budget_exceeded,internal,output_invalid'

const warned = { status: 'completed', has_warnings: true }

/** The filters as parameters of the API, whose `failed` includes cancelled runs. */
export function queryOf(
  { state, workflow, since, agent, tag, retried, forked, cost, find }: Filters,
  now: number,
): RunsListAllQuery {
  return {
    ...(state === undefined ? {} : state === 'warned' ? warned : { status: state }),
    ...(state === 'failed' ? { error_code: failures } : {}),
    ...(workflow === undefined ? {} : { workflow_id: workflow }),
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(tag === undefined ? {} : { tag }),
    ...(retried === undefined ? {} : { retry_of: retried }),
    ...(forked === undefined ? {} : { forked_from: forked }),
    ...(cost === undefined ? {} : { min_cost_usd: cost }),
    ...(find === undefined ? {} : { q: find }),
    ...(since === undefined
      ? {}
      : { created_after: new Date(now - spans[since].ms).toISOString() }),
  }
}
