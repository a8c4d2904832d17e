import type { Rule } from './schema.ts'
import type { Caller } from '../sandbox/sandbox.ts'
import { judgeByRules, type CallFacts, type Level } from './rules.ts'
import { evaluateConditions } from './evaluate-conditions.ts'
import {
  givenValues,
  isConstant,
  isOneOf,
  isProse,
  rangeOf,
  sharedDomain,
} from './shared-values.ts'
import { writeTerms, type Field, type FieldTerm, type Term } from './terms.ts'

/**
 * Suggests rules from decisions. If people approved an action unchanged many times in a row,
 * the narrowest rule that allows these calls is suggested. It does not cover calls with other
 * arguments, with other values for anything that may address a recipient or an object, or with
 * numbers outside the approved range. No rule is suggested that would allow a call which a person
 * rejected or edited.
 */
export interface Decided {
  facts: CallFacts
  decision: 'approved' | 'edited' | 'rejected' | 'expired'
  toolVersion: string | null
}

const leastApprovals = 20
export const maxWhen = 2_000
export const lifetimeMs = 90 * 24 * 60 * 60_000

/**
 * `calls` of one action, newest first; `version` is the action's current one. Returns the rule and
 * how many of the first calls support it.
 */
export async function proposeRule(
  caller: Caller,
  calls: readonly Decided[],
  version: string,
  nowMs: number,
): Promise<{ rule: Rule; count: number } | undefined> {
  const end = calls.findIndex(
    ({ decision, toolVersion }) => decision !== 'approved' || toolVersion !== version,
  )
  const approved = calls.slice(0, end === -1 ? calls.length : end)
  const [first] = approved
  if (first === undefined || approved.length < leastApprovals) return undefined
  const when = narrowest(approved.map(({ facts }) => facts))
  if (when === undefined) return undefined
  const rule: Rule = {
    action: first.facts.action,
    when,
    decision: 'allow',
    reason: `people approved ${approved.length} such calls in a row`,
    expires_at: new Date(nowMs + lifetimeMs).toISOString(),
  }
  const tested = [...approved, ...calls.filter(isRefused)]
  const allowed = await allowedBy(caller, rule, tested, nowMs)
  const isRight = allowed.every((isAllowed, at) => isAllowed === at < approved.length)
  if (!isRight) return undefined
  return { rule, count: approved.length }
}

/** Which calls a rule alone allows. */
export async function allowedBy(
  caller: Caller,
  rule: Rule,
  calls: readonly Pick<Decided, 'facts'>[],
  nowMs: number,
): Promise<boolean[]> {
  const levels: Level[] = [{ level: 'account', rules: [rule] }]
  const cases = calls.map(({ facts }) => ({ levels, facts, hasAllArguments: true }))
  const evaluated = await evaluateConditions(caller, cases, nowMs)
  return cases.map(
    ({ facts }, at) => judgeByRules(evaluated[at] ?? [], facts, nowMs)?.decision === 'allow',
  )
}

export function isRefused({ decision }: Decided): boolean {
  return decision === 'rejected' || decision === 'edited'
}

/** The narrowest condition that holds for all calls; undefined if none is narrow enough. */
function narrowest(calls: CallFacts[]): string | undefined {
  const names = [...new Set(calls.flatMap(({ args }) => Object.keys(args)))].toSorted()
  const workflows = calls.map(({ workflow }) => workflow.id)
  const roles = calls.map(({ agent }) => agent.role)
  const terms: (Term | 'any' | undefined)[] = [
    { kind: 'only', names },
    ...names.map((name) => narrowArgument(name, calls)),
    isOneOf({ of: 'workflow', name: '' }, workflows),
    isOneOf({ of: 'role', name: '' }, roles),
  ]
  if (terms.includes(undefined)) return undefined
  const when = writeTerms(terms.filter((term) => term !== undefined && term !== 'any')) ?? ''
  return when.length > maxWhen ? undefined : when
}

function narrowArgument(name: string, calls: CallFacts[]): FieldTerm | 'any' | undefined {
  const given = givenValues(name, calls)
  const field: Field = { of: 'argument', name }
  const term = isConstant(given) ? isOneOf(field, given) : narrowVarying(field, given)
  if (term === undefined || term === 'any') return term
  return given.length === calls.length ? term : { ...term, isOptional: true }
}

function narrowVarying(field: Field, given: unknown[]): FieldTerm | 'any' | undefined {
  const range = rangeOf(field, given)
  if (range !== undefined) return range
  if (isProse(field.name, given)) return 'any'
  return isOneOf(field, given) ?? sharedDomain(field, given)
}
