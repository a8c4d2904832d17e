import { useQuery, type UseInfiniteQueryResult, type UseQueryResult } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { WaitingRun } from '../../sdk/generated.ts'
import type { Muster } from '../../sdk/client.ts'
import { useList, usePages } from '../session/api.ts'
import { useSession } from '../session/session.tsx'
import { serverNow } from '../ui/text/server-time.ts'
import { readInboxFilter, toPendingQuery } from './inbox-filter.ts'

/** Limit of waiting requests that are loaded, oldest first. */
const mostCases = 100

/** The number of waiting requests, such as `100+` if not all are loaded. */
export function countWaiting(cases: readonly unknown[]): string {
  return `${cases.length}${cases.length < mostCases ? '' : '+'}`
}

export function usePending(): UseQueryResult<WaitingRun[]> {
  return useList(['pending'], (muster, options) =>
    muster.pending.list({ ...options, limit: mostCases }),
  )
}

/** The list of the inbox, all of which can be loaded, by the filter in the URL. */
export function useInbox(): UseInfiniteQueryResult<WaitingRun[]> {
  const filter = readInboxFilter(useSearch({ strict: false }))
  return usePages(['pending', 'inbox', filter], (muster, options) =>
    muster.pending.list({ ...toPendingQuery(filter, serverNow()), ...options, limit: mostCases }),
  )
}

type Pending = WaitingRun['pending']

/** The id of a case in URLs. It stays the same while calls of the case are decided one by one. */
export function caseIdOf({ id, case_id: caseId }: Pick<Pending, 'id' | 'case_id'>): string {
  return caseId ?? id
}

/** The requests of a run, each call in the form of a single one. */
export function requestsOf(waiting: WaitingRun): WaitingRun[] {
  const { calls, ...first } = waiting.pending
  if (calls === undefined) return [waiting]
  return calls.map((call) => ({
    ...waiting,
    pending: { ...first, ...noAction, ...call } as Pending,
  }))
}

/** Fields of an action, which a question that waits beside actions does not have. */
const noAction = {
  tool: undefined,
  tool_input: undefined,
  tool_version: undefined,
  tool_changed: undefined,
  approvals: undefined,
}

/** Whether this is the id of a case, or of one of its calls. */
export function isOfCase({ pending }: WaitingRun, id: string): boolean {
  const { calls = [] } = pending
  return [caseIdOf(pending), pending.id, ...calls.map((call) => call.id)].includes(id)
}

/** Limit of requests to search for one that is not among the oldest. */
const mostSearched = 10_000

export interface Case {
  /**
   * The last known state of the request, so that it stays on the page after another person answered
   * it.
   */
  waiting: WaitingRun | undefined
  /** Its state when the page was opened: some of its calls may have been decided since. */
  opened: WaitingRun | undefined
  /** Whether the list has it; undefined if the list is incomplete. */
  isListed: boolean | undefined
  isLooking: boolean
  /** Why it is unknown whether the request is waiting. */
  error: Error | null
}

export function useCase(pendingId: string): Case {
  const { muster } = useSession()
  const { data: cases = [], isPending } = usePending()
  const { data: shown = [] } = useInbox()
  const listed = [...cases, ...shown].find((one) => isOfCase(one, pendingId))
  const isCut = cases.length >= mostCases
  const {
    data: seen,
    isFetching,
    error,
  } = useQuery({
    queryKey: ['case', pendingId],
    queryFn: async ({ signal }) => listed ?? (await search(muster, pendingId, signal)) ?? null,
    enabled: listed !== undefined || isCut,
    staleTime: Infinity,
    gcTime: Infinity,
  })
  return {
    waiting: listed ?? seen ?? undefined,
    opened: seen ?? listed,
    isListed: listed !== undefined || (isCut ? undefined : false),
    isLooking: isPending || isFetching,
    error,
  }
}

async function search(
  muster: Muster,
  pendingId: string,
  signal: AbortSignal,
): Promise<WaitingRun | undefined> {
  let searched = 0
  for await (const waiting of await muster.pending.list({ limit: mostCases, signal })) {
    if (isOfCase(waiting, pendingId)) return waiting
    if (++searched === mostSearched) return undefined
  }
  return undefined
}
