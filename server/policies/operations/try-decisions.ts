import { checkRules } from '../../connectors/check-rules.ts'
import { openTools } from '../../connectors/open-tools.ts'
import type { Context } from '../../context.ts'
import {
  listDecidedActions,
  readDecidedCalls,
  type DecidedCall,
} from '../../engine/reads/decided-calls.ts'
import { judgeCall, type JudgedOutcome } from '../../engine/run/ledger.ts'
import { summarizeCall } from '../../engine/run/pending.ts'
import type { Caller } from '../../sandbox/sandbox.ts'
import type { Tool } from '../../tools/contract.ts'
import { defaultHumanInTheLoop } from '../../workflows/definition.ts'
import { ruleOn, type Ruled } from '../fixed.ts'
import { readPolicies } from '../read.ts'
import { covers, isSensitive, levelsOf, type CallFacts, type Level } from '../rules.ts'
import { evaluateConditions } from '../evaluate-conditions.ts'
import type { Policies } from '../schema.ts'
import type { RulesTried, TryRules } from './schema.ts'

const mostDecisions = 100

/** Evaluates rules for past calls of their actions that people decided about. */
export async function tryRules(
  ctx: Context,
  { rules, level = 'account', agent_id: agentId, workflow_id: workflowId, order }: TryRules,
): Promise<RulesTried> {
  await checkRules(ctx, rules)
  const { reads, accountId } = ctx
  const policies = await readPolicies(reads, accountId)
  const actions = (await listDecidedActions(reads, accountId)).filter((action) =>
    rules.some((rule) => covers(rule.action, action)),
  )
  const calls = (await readDecidedCalls(reads, accountId, actions, mostDecisions)).filter(
    (call) =>
      (agentId ?? call.agentId) === call.agentId &&
      (workflowId ?? call.workflowId) === call.workflowId &&
      (order ?? call.position) === call.position,
  )
  const tools = await openTools(ctx, accountId, [...new Set(calls.map(({ tool }) => tool))])
  const cases = calls.map((call) => {
    const own = { account: policies.rules, ...call.rules, [level]: rules }
    return {
      call,
      levels: levelsOf(own.account, own),
      tool: tools.find(({ id }) => id === call.tool),
    }
  })
  const judged = await judgeDecided(ctx, cases, policies)
  const decisions = calls.map((call, at) => {
    const { rule, outcome } = judged[at] as (typeof judged)[number]
    return {
      run_id: call.runId,
      call_id: call.callId,
      decided_at: call.decidedAt,
      decided_by: call.decidedBy,
      decider: call.decider,
      action: call.tool,
      summary: summarizeCall(call.tool, call.args),
      decision: call.decision,
      outcome: words[outcome],
      rule: rule ?? null,
    }
  })
  const count = (word: string): number => decisions.filter(({ outcome }) => outcome === word).length
  const isRefusal = (decision: string): boolean => decision === 'rejected' || decision === 'edited'
  return {
    allowed: count('allow'),
    asked: count('ask'),
    blocked: count('block'),
    rejected_allowed: decisions.filter(
      ({ decision, outcome }) => outcome === 'allow' && isRefusal(decision),
    ).length,
    decisions,
  }
}

const words = { execute: 'allow', ask: 'ask', refuse: 'block' } as const

export function factsOf(call: DecidedCall): CallFacts {
  return {
    action: call.tool,
    args: call.args,
    agent: { id: call.agentId ?? '', role: call.role },
    workflow: { id: call.workflowId },
    run: { id: call.runId, tags: call.tags ?? {} },
  }
}

interface DecidedCase {
  call: DecidedCall
  levels: Level[]
  tool: Tool | undefined
}

/**
 * The results of rules for calls that people decided about; where no rule matches, a person is asked
 * again.
 */
export async function judgeDecided(
  caller: Caller,
  cases: readonly DecidedCase[],
  policies: Policies,
): Promise<{ rule: Ruled['rule']; outcome: JudgedOutcome }[]> {
  const now = Date.now()
  const evaluated = await evaluateConditions(
    caller,
    cases.map(({ call, levels, tool }) => ({
      levels,
      facts: factsOf(call),
      action: tool,
    })),
    now,
  )
  const asking = { ...defaultHumanInTheLoop, enabled: true, approvals: 'all' as const }
  return cases.map(({ call, tool }, at) => {
    const { rule } = ruleOn(evaluated[at] ?? [], factsOf(call), tool?.inputSchema, now)
    // An action that is no longer connected counts as sensitive.
    const sensitive = isSensitive(policies, call.tool, tool ?? { sensitive: true })
    const judged = { tool: call.tool, sensitive }
    return { rule, outcome: judgeCall(judged, asking, policies.approvals_floor, rule?.decision) }
  })
}
