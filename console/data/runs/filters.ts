import type { RunsListAllQuery, ViewFilters } from '../../../sdk/generated.ts'
import { dayMs, hourMs } from '../../ui/text/format.ts'
import { runStates, type RunState } from './states.ts'

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
const failures: NonNullable<ViewFilters['error_code']> = [
  'step_failed',
  'agent_paused',
  'wait_expired',
  'budget_exceeded',
  'internal',
  'output_invalid',
]

/** The filter of a status; the API's `failed` includes cancelled runs. */
function ofState(state: RunState | undefined): ViewFilters {
  if (state === undefined) return {}
  if (state === 'warned') return { status: ['completed'], has_warnings: true }
  return state === 'failed' ? { status: [state], error_code: [...failures] } : { status: [state] }
}

/** The filters as a saved view has them. */
export function toViewFilters(filters: Filters): ViewFilters {
  const { state, workflow, since, agent, tag, retried, forked, cost, find } = filters
  return {
    ...ofState(state),
    ...(workflow === undefined ? {} : { workflow_id: workflow }),
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(tag === undefined ? {} : { tag }),
    ...(retried === undefined ? {} : { retry_of: retried }),
    ...(forked === undefined ? {} : { forked_from: forked }),
    ...(cost === undefined ? {} : { min_cost_usd: cost }),
    ...(find === undefined ? {} : { q: find }),
    ...(since === undefined ? {} : { created_within_seconds: spans[since].ms / 1_000 }),
  }
}

/** The filters of a saved view; undefined if the page does not offer one of them. */
export function fromViewFilters(saved: ViewFilters): Filters | undefined {
  const { status, error_code, has_warnings } = saved
  const ofSaved = { status, error_code, has_warnings }
  const states = [undefined, ...(Object.keys(runStates) as RunState[])]
  const state = states.find((one) => isSame(ofState(one), ofSaved))
  const since = (Object.keys(spans) as Since[]).find(
    (one) => spans[one].ms / 1_000 === saved.created_within_seconds,
  )
  const filters = readFilters({
    state,
    since,
    workflow: saved.workflow_id,
    agent: saved.agent_id,
    tag: saved.tag,
    retried: saved.retry_of,
    forked: saved.forked_from,
    cost: saved.min_cost_usd,
    find: saved.q,
  })
  return isSame(toViewFilters(filters), saved) ? filters : undefined
}

type Fields = { [Name in keyof ViewFilters]: ViewFilters[Name] | undefined }

/** Whether two filters are equal, in any order of their fields. */
export function isSame(a: Fields, b: Fields): boolean {
  return textOf(a) === textOf(b)
}

function textOf(filters: Fields): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  return JSON.stringify(given.sort(([a], [b]) => a.localeCompare(b)))
}

/** The filters as parameters of the list. */
export function queryOf(filters: Filters, now: number): RunsListAllQuery {
  const { status, error_code, created_within_seconds, ...rest } = toViewFilters(filters)
  return {
    ...rest,
    ...(status && { status: status.join() }),
    ...(error_code && { error_code: error_code.join() }),
    ...(created_within_seconds !== undefined && {
      created_after: new Date(now - created_within_seconds * 1_000).toISOString(),
    }),
  }
}
