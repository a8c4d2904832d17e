import type { Caller } from '../sandbox/sandbox.ts'
import { allowedBy, isRefused, lifetimeMs, maxWhen, type Decided } from './propose-rule.ts'
import type { CallFacts } from './rules.ts'
import type { Rule } from './schema.ts'
import {
  givenValues,
  isConstant,
  isOneOf,
  isProse,
  rangeOf,
  sharedDomain,
} from './shared-values.ts'
import { writeTerms, type FieldTerm, type Term } from './terms.ts'

/**
 * Proposes a rule that allows calls like one that waits, from what recurs in it and in approved calls like it: those of
 * the same action, workflow, role and argument names. Values that vary become the domain of addresses, a range of numbers
 * or a list; prose is left open unless it recurs. Unlike `proposeRule`, this needs no earlier decisions, because a person
 * reads and changes the rule before it is added.
 */
export interface CallProposal<Call extends Decided> {
  rule: Rule
  /** The approved calls that it would have allowed, newest first. */
  evidence: Call[]
  /** Rejected or edited calls that it would have allowed. */
  refusedCount: number
}

/** `calls` of the action, newest first. Undefined if no condition of this length allows the call. */
export async function proposeForCall<Call extends Decided>(
  caller: Caller,
  call: CallFacts,
  calls: readonly Call[],
  version: string | null,
  nowMs: number,
): Promise<CallProposal<Call> | undefined> {
  const alike = calls.filter(
    ({ facts, decision, toolVersion }) =>
      decision === 'approved' && toolVersion === version && isAlike(facts, call),
  )
  const refused = calls.filter(isRefused)
  const tested = [...alike, ...refused]
  const propose = async (like: readonly CallFacts[]): Promise<CallProposal<Call> | undefined> => {
    const when = conditionFor(call, like)
    if (when === undefined) return undefined
    const rule: Rule = {
      action: call.action,
      when,
      decision: 'allow',
      expires_at: new Date(nowMs + lifetimeMs).toISOString(),
    }
    const allowed = await allowedBy(caller, rule, [{ facts: call }, ...tested], nowMs)
    // A condition may fail on strange arguments.
    if (allowed[0] !== true) return undefined
    const isAllowed = (at: number): boolean => allowed[at + 1] === true
    return {
      rule,
      evidence: alike.filter((_, at) => isAllowed(at)),
      refusedCount: refused.filter((_, at) => isAllowed(alike.length + at)).length,
    }
  }
  const wide = await propose([call, ...alike.map(({ facts }) => facts)])
  // What this call alone says is narrower, and may leave out what a person refused.
  return wide !== undefined && wide.refusedCount === 0 ? wide : propose([call])
}

function isAlike(one: CallFacts, other: CallFacts): boolean {
  return (
    one.workflow.id === other.workflow.id &&
    one.agent.role === other.agent.role &&
    namesOf(one).join('\n') === namesOf(other).join('\n')
  )
}

function namesOf({ args }: CallFacts): string[] {
  return Object.keys(args).toSorted()
}

function conditionFor(call: CallFacts, like: readonly CallFacts[]): string | undefined {
  const names = namesOf(call)
  const terms: Term[] = [
    { kind: 'only', names },
    ...names.flatMap((name) => recurring(name, call, like) ?? []),
    {
      kind: 'is',
      field: { of: 'workflow', name: '' },
      values: [call.workflow.id],
    },
    { kind: 'is', field: { of: 'role', name: '' }, values: [call.agent.role] },
  ]
  const when = writeTerms(terms) ?? ''
  return when.length > maxWhen ? undefined : when
}

/** Undefined if an argument may have any value. */
function recurring(
  name: string,
  { args }: CallFacts,
  like: readonly CallFacts[],
): FieldTerm | undefined {
  const field = { of: 'argument', name } as const
  const given = givenValues(name, like)
  const own: FieldTerm = { kind: 'is', field, values: [args[name]] }
  if (isProse(name, given)) {
    const recurs =
      like.length > 1 && isConstant(given) && String(args[name]).length <= mostRecurring
    return recurs ? own : undefined
  }
  if (isConstant(given)) return own
  return rangeOf(field, given) ?? sharedDomain(field, given) ?? isOneOf(field, given) ?? own
}

/** Characters of a subject or the like that may be part of a rule. */
const mostRecurring = 200
