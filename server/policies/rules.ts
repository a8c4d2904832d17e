import {
  ruleDecisions,
  ruleLevels,
  type FrozenRules,
  type RuleDecision,
} from '../engine/run/definition.ts'
import type { DecidingRule } from '../engine/wire/step.ts'
import { createConditions } from '../expressions/conditions.ts'
import type { Caller } from '../sandbox/sandbox.ts'
import type { Policies, Rule } from './schema.ts'

/**
 * Rules about what agents may do, pure. There are three levels: the account, an agent, a crew
 * entry. A level is an ordered list: the first rule that matches a call counts. Of several levels
 * the strictest counts: block, ask, allow. A rule whose condition fails to evaluate asks for
 * approval, because its result is unknown. Arguments that rules set are in `fixed.ts`.
 */
export interface Level {
  level: DecidingRule['level']
  rules: readonly EvaluatedRule[]
}

/** With the outcome of its condition for one call, if that is not cheap to evaluate (`evaluate-conditions.ts`). */
export type EvaluatedRule = Rule & { outcome?: boolean | string }

/** Facts about a call for conditions. */
export interface CallFacts extends Record<string, unknown> {
  action: string
  args: Record<string, unknown>
  agent: { id: string; role: string }
  workflow: { id: string }
  run: { id: string; tags: Record<string, string> }
}

export const conditions = createConditions({
  action: 'string',
  args: 'dyn',
  agent: 'map<string, string>',
  workflow: 'map<string, string>',
  run: 'dyn',
})

/**
 * All levels for a call, with the account's current rules. All code that judges calls uses this.
 */
export function levelsOf(account: readonly Rule[], frozen: FrozenRules = {}): Level[] {
  return ruleLevels.flatMap((level) => {
    const rules = level === 'account' ? account : (frozen[level] ?? [])
    return rules.length === 0 ? [] : { level, rules }
  })
}

type SensitiveActions = Pick<Policies, 'sensitive_actions'>

/** Whether an action is sensitive: its connector or the account's policies say so. */
export function isSensitive(
  policies: SensitiveActions,
  tool: string,
  action: { sensitive: boolean } | undefined,
): boolean {
  return action?.sensitive === true || policies.sensitive_actions.includes(tool)
}

/** A request as far as it decides how its approver has to prove who they are. */
interface Deciding {
  kind?: string
  tool?: string | null | undefined
  approvals?: { required: number } | undefined
}

/**
 * Whether deciding needs a signed-in person: a link or a click in Slack is not enough. Where several people have to
 * agree (`required_approvals`, `four_eyes`), a link proves nothing if it went through a mail server or Slack app that
 * an admin of the account chose: that admin could read it and answer for somebody else.
 */
export function needsSignIn(
  policies: SensitiveActions & Pick<Policies, 'four_eyes'>,
  requests: readonly Deciding[],
  sentBy: 'operator' | 'account',
): boolean {
  return requests.some(({ kind, tool, approvals }) => {
    if (tool != null && policies.sensitive_actions.includes(tool)) return true
    if (sentBy === 'operator' || kind === 'input') return false
    return policies.four_eyes || (approvals?.required ?? 1) > 1
  })
}

/** Limit for all rules of a level as JSON. */
const maxBytes = 64 * 1024

/** What is wrong with the rules of a level, and where. */
export async function refuseRules(
  caller: Caller,
  rules: readonly Rule[],
): Promise<{ path: string; why: string } | undefined> {
  const bytes = Buffer.byteLength(JSON.stringify(rules))
  if (bytes > maxBytes) return { path: '', why: `has ${bytes} bytes of JSON, at most ${maxBytes}` }
  const named = [...rules.entries()].flatMap(([position, { when, fixed }]) =>
    when == null ? [] : [{ path: `[${position}].when`, when, fixed }],
  )
  const unread = await conditions.refuse(
    caller,
    named.map(({ when }) => when),
  )
  if (unread !== undefined) {
    return { path: named[unread.index]?.path ?? '', why: `is no CEL condition: ${unread.why}` }
  }
  const onArguments = named.find(({ when, fixed }) => fixed != null && namesArguments(when))
  if (onArguments === undefined) return undefined
  const expected = 'expected a condition on agent, workflow and run alone'
  const why = `names args, though the rule has fixed arguments: ${expected}`
  return { path: onArguments.path, why }
}

/**
 * The rule that decides about a call; undefined if none matches. `doubt` as in `FixedArguments`.
 */
export function judgeByRules(
  levels: readonly Level[],
  facts: CallFacts,
  nowMs: number,
  doubt?: DecidingRule,
): DecidingRule | undefined {
  let strictest = doubt
  for (const { level, rules } of levels) {
    const found = firstMatch(level, rules, facts, nowMs)
    const isStricter =
      found !== undefined &&
      (strictest === undefined || rankOf(found.decision) > rankOf(strictest.decision))
    if (isStricter) strictest = found
  }
  return strictest
}

const rankOf = (decision: RuleDecision): number => ruleDecisions.indexOf(decision)

function firstMatch(
  level: Level['level'],
  rules: readonly Rule[],
  facts: CallFacts,
  nowMs: number,
): DecidingRule | undefined {
  for (const [position, rule] of rules.entries()) {
    if (!isLive(rule, nowMs) || !covers(rule.action, facts.action)) continue
    const outcome = outcomeOf(rule, facts)
    if (outcome === false) continue
    const decided = decidedBy(level, position, rule)
    if (outcome === true) return decided
    const why = `its condition failed: ${outcome}`.slice(0, 500)
    return { ...decided, decision: 'ask', reason: why }
  }
  return undefined
}

export function decidedBy(
  level: Level['level'],
  position: number,
  { action, decision, reason = null }: Rule,
): DecidingRule {
  return { level, position, action, decision, reason }
}

export function namesArguments(when: string): boolean {
  return /\bargs\b/.test(when)
}

/** Whether the condition of a rule holds; a string says why it cannot be evaluated. */
export function outcomeOf({ when, outcome }: EvaluatedRule, facts: CallFacts): boolean | string {
  return outcome ?? (when == null ? true : conditions.evaluate(when, facts))
}

/** Active rules of all levels that may decide about calls of an action. */
export function rulesFor(levels: readonly Level[], action: string, nowMs: number): Rule[] {
  const all = levels.flatMap(({ rules }) => rules)
  return all.filter((rule) => isLive(rule, nowMs) && covers(rule.action, action))
}

export function isLive({ expires_at: expiresAt }: Rule, nowMs: number): boolean {
  return expiresAt == null || Date.parse(expiresAt) > nowMs
}

/**
 * Rules do not apply to Muster's own tools, whose names have no dot: they have no effect outside.
 */
export function covers(pattern: string, action: string): boolean {
  if (!action.includes('.')) return false
  if (pattern === '*' || pattern === action) return true
  return pattern.endsWith('.*') && action.startsWith(pattern.slice(0, -1))
}
