import { openTools } from '../../connectors/open-tools.ts'
import type { Context } from '../../context.ts'
import { readDecidedCalls } from '../../engine/reads/decided-calls.ts'
import { cannot } from '../../errors.ts'
import { proposeForCall } from '../propose-for-call.ts'
import { readPolicies } from '../read.ts'
import { maxWhen } from '../propose-rule.ts'
import type { ProposeRule, RuleProposal } from './schema.ts'
import { evidenceOf, mostDecisions } from './suggestions.ts'
import { testRules, waitingCall } from './try-call.ts'
import { factsOf } from './try-decisions.ts'

/** Proposes a rule that allows calls like one that waits for approval. Nothing is stored. */
export async function proposeForWaiting(
  ctx: Context,
  { pending_id: pendingId }: ProposeRule,
): Promise<RuleProposal> {
  const { facts, own } = await waitingCall(ctx, pendingId)
  const { action } = facts
  if (!action.includes('.')) {
    const why = `${action} is one of Muster's own tools, to which rules do not apply`
    throw cannot(ctx, 'invalid_value', why, { param: 'pending_id' })
  }
  const [tool = own] = own === undefined ? await openTools(ctx, ctx.accountId, [action]) : []
  const calls = await readDecidedCalls(ctx.reads, ctx.accountId, [action], mostDecisions)
  const decided = calls.map((call) => ({ ...call, facts: factsOf(call) }))
  const version = tool?.version ?? null
  const proposed = await proposeForCall(ctx, facts, decided, version, Date.now())
  if (proposed === undefined) {
    const why = `no condition of up to ${maxWhen} characters fits the arguments of the call`
    throw cannot(ctx, 'invalid_value', why, { param: 'pending_id' })
  }
  const { rule, evidence, refusedCount } = proposed
  // Other rules and the floor may be stricter.
  const { rules } = await readPolicies(ctx.database, ctx.accountId)
  const { outcome } = await testRules(ctx, { pending_id: pendingId, rules: [...rules, rule] })
  return {
    rule,
    outcome,
    count: evidence.length,
    rejected_allowed: refusedCount,
    decisions: evidence.map(evidenceOf),
  }
}
