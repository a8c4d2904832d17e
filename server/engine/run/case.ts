import type { AskedCall, PendingRequest, Wait } from './pending.ts'

/**
 * Several calls of one turn that wait for people are one case, pure. Each call has a request of its own, whose id binds
 * its arguments and which is decided once; the case has an id that stays while its calls are decided one by one, so
 * links, comments and reminders go on. As soon as some are decided the run makes what was approved, while the rest is
 * kept as its open case; then it waits for the rest, whose ids and remaining time are as before.
 */
export interface OpenCase {
  /** The requests that are left. */
  pending: PendingRequest
  /** Of the time to answer; null: without end. */
  left_seconds: number | null
}

/** Of all requests as JSON; calls that do not fit wait for the next case. */
const maxCaseBytes = 256 * 1024

/** The requests of a case, each as if it were the only one. */
export function requestsOf(pending: PendingRequest): PendingRequest[] {
  const { calls, case_id: _, ...first } = pending
  if (calls === undefined) return [first]
  const { step_order, role, approvers } = first
  return calls.map((call) => ({ ...call, step_order, role, approvers }))
}

/** Names the case of a request in links and comments. */
export function caseIdOf({ id, case_id }: Pick<PendingRequest, 'id' | 'case_id'>): string {
  return case_id ?? id
}

/** Whether a case, or one of its requests, has this id. */
export function isOfCase(pending: PendingRequest, id: string): boolean {
  return caseIdOf(pending) === id || requestsOf(pending).some((one) => one.id === id)
}

/** What a run waits for with these requests of one step. */
export function toCase(requests: PendingRequest[], caseId?: string): PendingRequest {
  const [first] = requests
  if (first === undefined) throw new Error('Cannot wait for nothing')
  const id = caseId ?? first.id
  if (requests.length > 1) return { ...first, case_id: id, calls: requests.map(toAskedCall) }
  return id === first.id ? first : { ...first, case_id: id }
}

function toAskedCall(request: PendingRequest): AskedCall {
  const { step_order: _order, role: _role, approvers: _approvers, ...asked } = request
  const { kind, call_id } = asked
  if (kind === 'budget' || call_id === undefined) throw new Error('A request of a case has a call')
  return { ...asked, kind, call_id }
}

/** A case without requests that were decided, and with others in their new form; null where nothing is left. */
export function restOf(
  pending: PendingRequest,
  outcomes: ReadonlyMap<string, PendingRequest | 'decided'>,
): PendingRequest | null {
  const rest = requestsOf(pending).flatMap((one) => {
    const outcome = outcomes.get(one.id) ?? one
    return outcome === 'decided' ? [] : [outcome]
  })
  if (rest.length === 0) return null
  // Other arguments are announced anew.
  const changed = rest.find(({ id }) => requestsOf(pending).every((one) => one.id !== id))
  return toCase(rest, changed?.id ?? caseIdOf(pending))
}

/**
 * The pause of a run whose open calls ask for these requests. It goes on with the open case if nothing is new: with
 * its id, its approvals so far and its remaining time.
 */
export function waitFor(
  asked: PendingRequest[],
  timeoutSeconds: number | null,
  before: OpenCase | null = null,
): Wait {
  const known = before === null ? [] : requestsOf(before.pending)
  const requests = fitting(asked).map((one) => known.find((other) => isSame(one, other)) ?? one)
  const added = requests.find((one) => !known.includes(one))
  if (before === null || added !== undefined) {
    return { pending: toCase(requests, added?.id), timeoutSeconds }
  }
  const { left_seconds: left } = before
  const seconds = left === null ? null : Math.max(1, Math.ceil(left))
  return { pending: toCase(requests, caseIdOf(before.pending)), timeoutSeconds: seconds }
}

/** Whether two requests ask the same of the same call, however many have approved. */
function isSame(one: PendingRequest, other: PendingRequest): boolean {
  const plain = ({ id: _id, approvals: _approvals, ...rest }: PendingRequest): string =>
    JSON.stringify(Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return plain(one) === plain(other)
}

function fitting(requests: PendingRequest[]): PendingRequest[] {
  let bytes = 0
  return requests.filter((one, place) => {
    bytes += Buffer.byteLength(JSON.stringify(one))
    return place === 0 || bytes <= maxCaseBytes
  })
}
