/** Decisions of a rule about a call, the strictest last. */
export const ruleDecisions = ['allow', 'ask', 'block'] as const
export type RuleDecision = (typeof ruleDecisions)[number]

/**
 * Where a rule is defined. Account rules apply in their current form, the others as the run froze
 * them.
 */
export const ruleLevels = ['account', 'agent', 'crew_entry'] as const
type RuleLevel = (typeof ruleLevels)[number]

/** A rule about calls of agents; `server/policies/rules.ts` judges by it. */
export interface Rule {
  action: string
  when?: string | null
  decision: RuleDecision
  fixed?: Record<string, unknown> | null
  reason?: string | null
  expires_at?: string | null
}

/** The rules of a frozen agent; a level without rules is left out. */
export type FrozenRules = Partial<Record<Exclude<RuleLevel, 'account'>, Rule[]>>

/** Undefined if there are no rules, so that the hashes of most definitions stay the same. */
export function freezeRules(agent: Rule[] = [], entry: Rule[] = []): FrozenRules | undefined {
  if (agent.length === 0 && entry.length === 0) return undefined
  return {
    ...(agent.length > 0 && { agent }),
    ...(entry.length > 0 && { crew_entry: entry }),
  }
}
