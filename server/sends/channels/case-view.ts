import {
  askToRun,
  type CostFacts,
  type PendingRequest,
  summarizeCall,
} from '../../engine/run/pending.ts'
import { visibleText } from '../../safe-text.ts'
import type { Case } from '../../engine/reads/cases.ts'
import { requestsOf } from '../../engine/run/case.ts'

/**
 * A case for people: in an email, in Slack and on the page of a link. Made from the exact
 * arguments, never from a model's summary, without invisible characters.
 */
export interface CaseView {
  kind: PendingRequest['kind']
  /** Such as `Approval needed: email.send (to: ada@example.com)`. */
  title: string
  /** Which agent asks for what, as a sentence. */
  intro: string
  /** A warning before the decision, such as that the action may have been done already. */
  note: string | undefined
  /** Short arguments, such as the recipient of an email. */
  fields: { label: string; value: string }[]
  /** Long arguments, such as the text of an email. */
  texts: { label: string; value: string }[]
}

interface CaseFacts {
  workflow: string
  pending: Pick<
    PendingRequest,
    'kind' | 'prompt' | 'role' | 'tool' | 'tool_input' | 'approvals' | 'tool_changed' | 'cost'
  >
}

const longestField = 200
const longestTitle = 140

function viewCase({ workflow, pending }: CaseFacts): CaseView {
  const [role, name] = [pending.role, workflow].map(oneLine)
  if (pending.kind === 'input') {
    return {
      kind: 'input',
      title: `Question from ${role}`,
      intro: `${role}, in the workflow ${name}, asks a question.`,
      note: undefined,
      fields: [],
      texts: [{ label: 'Question', value: visibleText(pending.prompt) }],
    }
  }
  if (pending.kind === 'budget') {
    return {
      kind: 'budget',
      title: `Approval needed: more budget for ${cut(name ?? '', longestTitle)}`,
      intro: `${role}, in the workflow ${name}, needs approval to spend more.`,
      note: visibleText(pending.cost === undefined ? pending.prompt : costChoice),
      fields: costFields(pending.cost),
      texts: [],
    }
  }
  const { tool = '', tool_input: input = {} } = pending
  const parts = Object.entries(input).map(([key, value]) => ({
    label: labelOf(tool, key),
    value: visibleText(typeof value === 'string' ? value : JSON.stringify(value, null, 2)),
  }))
  const isShort = ({ value }: { value: string }): boolean =>
    value.length <= longestField && !value.includes('\n')
  return {
    kind: 'approval',
    title: cut(`Approval needed: ${oneLine(summarizeCall(tool, input))}`, longestTitle),
    intro: `${role}, in the workflow ${name}, ${askOf(tool)}`,
    note: noteOf(pending),
    fields: parts.filter(isShort),
    texts: parts.filter((part) => !isShort(part)),
  }
}

const costChoice = 'Approve with a new total limit to continue the run, or reject to end it.'

function costFields(cost: CostFacts | undefined): CaseView['fields'] {
  if (cost === undefined) return []
  const { budget, spent_usd, limit_usd, estimate_usd, run_cost_usd } = cost
  const usd = (amount: number) => `${Number(amount.toFixed(6))} USD`
  const all = {
    ...(budget && { Budget: oneLine(budget.name) }),
    Spent: usd(spent_usd),
    Limit: usd(limit_usd),
    'Next call': `up to ${usd(estimate_usd)}`,
    ...(budget && { 'Cost of this run': usd(run_cost_usd) }),
  }
  return Object.entries(all).map(([label, value]) => ({ label, value }))
}

/** The question, specific for emails; other tools are named. */
function askOf(tool: string): string {
  if (tool === 'email.send') return 'asks to send this email.'
  if (tool === 'slack.post_message') return 'asks to post this message to Slack.'
  return `asks to run ${oneLine(tool)} with these arguments.`
}

const labels: Record<string, Record<string, string>> = {
  'email.send': { to: 'To', cc: 'Cc', subject: 'Subject', text: 'Text' },
  'slack.post_message': { channel: 'Channel', text: 'Text', thread_ts: 'Thread' },
}

function labelOf(tool: string, key: string): string {
  return labels[tool]?.[key] ?? oneLine(key)
}

/** Warnings in addition to the action itself, and how many approvals are required. */
function noteOf({
  prompt,
  role,
  tool = '',
  tool_input: input = {},
  approvals,
}: CaseFacts['pending']) {
  const plain = askToRun(role, tool, input)
  const more = prompt.startsWith(plain) ? prompt.slice(plain.length) : prompt
  const { required = 1, given = 0 } = approvals ?? {}
  const count = required > 1 ? `${given} of ${required} people have approved.` : ''
  const note = [visibleText(more).trim(), count].filter((part) => part !== '').join(' ')
  return note === '' ? undefined : note
}

/** The outcome of a closed case. */
interface Outcome {
  decision: string | null
  decider: string | null
  reason: string | null
}

/** As a sentence, such as "Approved by Ada." */
function describeOutcome({ decision, decider, reason }: Outcome): string {
  const who = oneLine(decider ?? 'someone')
  const why = reason === null || reason === '' ? '' : ` Reason: ${visibleText(reason)}`
  switch (decision) {
    case 'approved':
      return `Approved by ${who}.${why}`
    case 'edited':
      return `Approved with changes by ${who}.${why}`
    case 'rejected':
      return `Rejected by ${who}.${why}`
    case 'answered':
      return `Answered by ${who}.`
    case 'expired':
      return 'Nobody answered in time.'
    default:
      return 'No longer waiting: the run has moved on without this answer.'
  }
}

function oneLine(text: string): string {
  return visibleText(text).replaceAll(/\s+/g, ' ').trim()
}

export function cut(text: string, max: number): string {
  const characters = Array.from(text)
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}

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
