import type { AskedCall, PendingRequest, Wait } from './pending.ts'

/**
 * Several calls of one turn that wait for people form one case, pure. Each call has its own
 * request, whose id binds its arguments and which is decided once. The case id stays the same while
 * its calls are decided one by one, so that links, comments and reminders keep working. Once some
 * calls are decided the run makes the approved ones, and keeps the rest as its open case; then it
 * waits for the rest, with the same ids and the remaining time.
 */
export interface OpenCase {
  /** The undecided requests. */
  pending: PendingRequest
  /** Seconds left to answer; null for no deadline. */
  left_seconds: number | null
}

/** Bound on all requests of a case as JSON; calls that do not fit wait for the next case. */
const maxCaseBytes = 256 * 1024

/** The requests of a case, each in the form of a single one. */
export function requestsOf(pending: PendingRequest): PendingRequest[] {
  const { calls, case_id: _, ...first } = pending
  if (calls === undefined) return [first]
  const { step_order, role, approvers } = first
  return calls.map((call) => ({ ...call, step_order, role, approvers }))
}

/** The id that links and comments use for a request's case. */
export function caseIdOf({ id, case_id }: Pick<PendingRequest, 'id' | 'case_id'>): string {
  return case_id ?? id
}

/** Whether a case, or one of its requests, has this id. */
export function isOfCase(pending: PendingRequest, id: string): boolean {
  return caseIdOf(pending) === id || requestsOf(pending).some((one) => one.id === id)
}

/** The pending request of a run that waits for these requests of one step. */
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

/**
 * A case without its decided requests, and with changed ones in their new form; null if none is
 * left.
 */
export function restOf(
  pending: PendingRequest,
  outcomes: ReadonlyMap<string, PendingRequest | 'decided'>,
): PendingRequest | null {
  const rest = requestsOf(pending).flatMap((one) => {
    const outcome = outcomes.get(one.id) ?? one
    return outcome === 'decided' ? [] : [outcome]
  })
  if (rest.length === 0) return null
  // Changed arguments make a new case, so that approvers are notified again.
  const changed = rest.find(({ id }) => requestsOf(pending).every((one) => one.id !== id))
  return toCase(rest, changed?.id ?? caseIdOf(pending))
}

/**
 * The wait of a run whose open calls make these requests. If none is new, the open case continues
 * with its id, its approvals so far and its remaining time.
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

/** Whether two requests ask the same about the same call, whatever approvals they have. */
function isSame(one: PendingRequest, other: PendingRequest): boolean {
  const plain = ({ id: _id, approvals: _approvals, ...rest }: PendingRequest): string =>
    JSON.stringify(Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return plain(one) === plain(other)
}

function fitting(requests: PendingRequest[]): PendingRequest[] {
  let bytes = 0
  return requests.filter((one, index) => {
    bytes += Buffer.byteLength(JSON.stringify(one))
    return index === 0 || bytes <= maxCaseBytes
  })
}
