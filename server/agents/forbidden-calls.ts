import { readAgentsForRuns } from './agents.ts'
import type { Services } from '../context.ts'
import { readPolicies } from '../policies/read.ts'
import { judgeByRules, levelsOf, type CallFacts } from '../policies/rules.ts'
import { evaluateConditions } from '../policies/evaluate-conditions.ts'
import type { FrozenRules } from '../engine/run/definition.ts'
import { callerAction } from '../tools/caller-tools.ts'
import type { ToolCall } from '../engine/run/ledger.ts'
import { messages } from '../engine/run/messages.ts'
import type { StepStart } from '../engine/run/step.ts'

export interface Judging {
  accountId: string
  step: Pick<StepStart, 'agentId' | 'agentVersion'>
  /** Capabilities and rules that the run froze. */
  capabilities: readonly string[]
  /** Actions of its caller's tools. */
  tools: readonly string[]
  rules: FrozenRules | undefined
  site: Pick<CallFacts, 'agent' | 'workflow' | 'run'>
}

/**
 * The calls that a person has approved and that may no longer be made, each with the message for its agent: since the
 * approval, a rule blocks the call, or its agent has lost the capability. All other calls were judged when they were
 * proposed, a moment ago.
 */
export async function findForbidden(
  { database, sandbox }: Pick<Services, 'database' | 'sandbox'>,
  { accountId, step, capabilities, tools, rules, site }: Judging,
  calls: readonly ToolCall[],
): Promise<Map<string, string>> {
  const approved = calls.filter(({ decision }) => decision === 'approved' || decision === 'edited')
  if (approved.length === 0) return new Map()
  const { agentId, agentVersion } = step
  const wanted = agentId === null ? [] : [{ accountId, id: agentId }]
  const [policies, [agent]] = await Promise.all([
    readPolicies(database, accountId),
    readAgentsForRuns(database, wanted),
  ])
  const isNewer = agent !== undefined && agent.version > (agentVersion ?? 0)
  const frozen = levelsOf(policies.rules, rules)
  const current = isNewer ? levelsOf([], { agent: agent.rules }) : []
  const levels = [...frozen, ...current]
  const cases = approved.map(({ tool: action, input }) => ({
    levels,
    facts: { ...site, action, args: input ?? {} },
    hasAllArguments: true,
  }))
  const now = Date.now()
  const evaluated = await evaluateConditions(
    { accountId, action: 'judge calls', sandbox },
    cases,
    now,
  )
  return new Map(
    approved.flatMap((call, at): [string, string][] => {
      const isCapability = capabilities.includes(call.tool)
      const isCallers = tools.includes(call.tool)
      const hasNow =
        agent?.capabilities.includes(call.tool) === true ||
        agent?.tools.some(({ name }) => callerAction(name) === call.tool) === true
      if (isNewer && (isCapability || isCallers) && !hasNow)
        return [[call.id, messages.capabilityRemoved(call.tool)]]
      const facts = { ...site, action: call.tool, args: call.input ?? {} }
      const rule = judgeByRules(evaluated[at] ?? levels, facts, now)
      return rule?.decision === 'block' ? [[call.id, messages.blocked(rule.reason)]] : []
    }),
  )
}
