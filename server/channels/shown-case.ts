import type { Case } from '../engine/reads/cases.ts'
import { requestsOf } from '../engine/run/case.ts'
import { describeOutcome, oneLine, viewCase, type CaseFacts, type CaseView } from './case-view.ts'

/**
 * A case for a message or the page of a link: one request, or several calls of a turn, each
 * separately.
 */
export interface ShownCase extends CaseView {
  /** Empty for one request. */
  calls: ShownCall[]
}

export interface ShownCall extends CaseView {
  /** Undefined once decided. */
  callId: string | undefined
  pendingId: string
  /**
   * The call may have been made already, so it is decided separately, never together with others.
   */
  mayBeDone: boolean
  /** Ids of users who have approved it, if more approvals are required. */
  approvedBy: string[]
}

/** In its current form if it waits, else as it was asked. */
export function viewOf({ workflowName: workflow, pending, outcomes }: Case): ShownCase {
  if (pending === null) {
    const calls = outcomes.map((outcome) => ({
      ...viewCase({ workflow, pending: outcome.asked }),
      note: describeOutcome(outcome),
      callId: undefined,
      pendingId: '',
      mayBeDone: false,
      approvedBy: [],
    }))
    return toShown(workflow, outcomes[0].asked, calls)
  }
  const requests = requestsOf(pending)
  const calls = requests.map((one) => ({
    ...viewCase({ workflow, pending: one }),
    callId: one.call_id,
    pendingId: one.id,
    mayBeDone: outcomes.some(({ callId, mayBeDone }) => mayBeDone && callId === one.call_id),
    approvedBy: one.approvals?.by.map(({ id }) => id) ?? [],
  }))
  return toShown(workflow, pending, calls)
}

function toShown(workflow: string, first: CaseFacts['pending'], calls: ShownCall[]): ShownCase {
  if (calls.length === 1) return { ...viewCase({ workflow, pending: first }), calls: [] }
  const isQuestion = ({ kind }: CaseView): boolean => kind === 'input'
  const what = calls.some(isQuestion) ? 'requests' : 'actions'
  const [role, name] = [first.role, workflow].map(oneLine)
  return {
    kind: 'approval',
    title: `Approval needed: ${calls.length} ${what} of ${role}`,
    intro: `${role}, in the workflow ${name}, has ${calls.length} ${what} that need a decision.`,
    note: undefined,
    fields: [],
    texts: [],
    calls: calls.map((call) => ({ ...call, title: call.title.replace('Approval needed: ', '') })),
  }
}

/** The outcome of a closed case, as a sentence. */
export function describeOutcomes({ outcomes }: Pick<Case, 'outcomes'>): string {
  const all = new Set(outcomes.map(describeOutcome))
  const [same = ''] = all
  if (all.size === 1) return same
  const counts = Map.groupBy(outcomes, ({ decision }) => decision ?? 'not decided')
  const parts = [...counts].map(
    ([decision, some]) => `${some.length} ${words[decision] ?? decision}`,
  )
  return `${parts.join(', ')}.`
}

const words: Record<string, string> = {
  edited: 'approved with changes',
  expired: 'not answered in time',
}
