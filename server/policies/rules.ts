import Type, { type Static } from 'typebox'
import { ruleDecisions, type RuleDecision } from '../engine/run/ledger.ts'
import type { DecidingRule } from '../engine/wire/step.ts'
import { createLanguage } from '../expressions/expression.ts'
import { Nullable, StrictObject, StringEnum } from '../wire-types.ts'

/**
 * Rules about what agents may do, pure. A level is an ordered list: the first rule that matches a call counts. Between
 * levels the stricter counts: block, ask, allow. A rule whose condition fails on a call asks, since nobody knows what it
 * would have said.
 */
export const Rule = StrictObject(
  {
    action: Type.String({
      maxLength: 200,
      pattern: '^(\\*|[^.\\s*]+\\.(\\*|[^\\s*]+))$',
      description: 'An action such as `email.send`, all of a connector, `slack.*`, or all, `*`.',
    }),
    when: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 2_000,
          description:
            'A CEL condition: `args.amount <= 100.0`. It sees `args`, `action`, `agent.id`, `agent.role`, `workflow.id`, ' +
            '`run.id` and `run.tags`. A call on which it fails is asked about. Null for every call.',
        }),
      ),
    ),
    decision: StringEnum(ruleDecisions, {
      description:
        '`allow` makes the call without asking, unless `approvals_floor` wants a person; `ask` asks a person; `block` ' +
        'refuses the call.',
    }),
    reason: Type.Optional(
      Nullable(Type.String({ maxLength: 500, description: 'Why, for people and agents.' })),
    ),
    expires_at: Type.Optional(
      Nullable(
        Type.String({
          format: 'date-time',
          description: 'The rule counts until then; null for ever.',
        }),
      ),
    ),
  },
  { description: 'A rule about calls of agents.' },
)
export type Rule = Static<typeof Rule>

export interface Level {
  level: DecidingRule['level']
  rules: readonly Rule[]
}

/** What conditions see of a call. */
export interface CallFacts extends Record<string, unknown> {
  action: string
  args: Record<string, unknown>
  agent: { id: string; role: string }
  workflow: { id: string }
  run: { id: string; tags: Record<string, string> }
}

const language = createLanguage({
  action: 'string',
  args: 'dyn',
  agent: 'map<string, string>',
  workflow: 'map<string, string>',
  run: 'dyn',
})

/** The first rule whose condition cannot be read. */
export function refuseRules(rules: readonly Rule[]): { position: number; why: string } | undefined {
  for (const [position, { when }] of rules.entries()) {
    const why = when == null ? undefined : language.refuse(when)
    if (why !== undefined) return { position, why }
  }
  return undefined
}

/** The rule that decides about a call; undefined where none matches. */
export function judgeByRules(
  levels: readonly Level[],
  facts: CallFacts,
  nowMs: number,
): DecidingRule | undefined {
  let strictest: DecidingRule | undefined
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
    const { action, when, decision, reason = null, expires_at: expiresAt } = rule
    if (expiresAt != null && Date.parse(expiresAt) <= nowMs) continue
    if (!covers(action, facts.action)) continue
    const holds = when == null ? true : evaluate(when, facts)
    if (holds === false) continue
    if (holds === true) return { level, position, action, decision, reason }
    const why = `its condition failed: ${holds}`.slice(0, 500)
    return { level, position, action, decision: 'ask', reason: why }
  }
  return undefined
}

/** Whether it holds; a text says why that is not known. */
function evaluate(when: string, facts: CallFacts): boolean | string {
  const unread = language.refuse(when)
  if (unread !== undefined) return unread
  const outcome = language.compile(when)(facts)
  return outcome.kind === 'value' ? outcome.value : outcome.why
}

function covers(pattern: string, action: string): boolean {
  if (pattern === '*' || pattern === action) return true
  return pattern.endsWith('.*') && action.startsWith(pattern.slice(0, -1))
}
