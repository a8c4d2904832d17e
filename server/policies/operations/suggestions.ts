import { openTools } from '../../connectors/open-tools.ts'
import type { Context } from '../../context.ts'
import {
  listDecidedActions,
  readDecidedCalls,
  type DecidedCall,
} from '../../engine/reads/decided-calls.ts'
import type { Tool } from '../../tools/contract.ts'
import { proposeRule } from '../propose-rule.ts'
import { readPolicies } from '../read.ts'
import { maxRules, type Policies } from '../schema.ts'
import { levelsOf } from '../rules.ts'
import type { Caller } from '../../sandbox/sandbox.ts'
import type { RuleSuggestion } from './schema.ts'
import { factsOf, judgeDecided } from './try-decisions.ts'

/** Decisions that are read for each action. */
export const mostDecisions = 200
const mostSuggestions = 50

/** Suggests rules from people's decisions, at most one for each action. Read-only. */
export async function listSuggestions(ctx: Context): Promise<{ suggestions: RuleSuggestion[] }> {
  const { reads, accountId } = ctx
  const policies = await readPolicies(reads, accountId)
  if (policies.rules.length >= maxRules) return { suggestions: [] }
  const tools = await openTools(ctx, accountId, await listDecidedActions(reads, accountId))
  const suggestions: RuleSuggestion[] = []
  for (const tool of tools) {
    // One action at a time, because 200 calls may have megabytes.
    const calls = await readDecidedCalls(reads, accountId, [tool.id], mostDecisions)
    const suggestion = await suggest(ctx, calls, tool, policies)
    if (suggestion !== undefined) suggestions.push(suggestion)
    if (suggestions.length === mostSuggestions) break
  }
  return { suggestions }
}

async function suggest(
  caller: Caller,
  calls: DecidedCall[],
  tool: Tool,
  policies: Policies,
): Promise<RuleSuggestion | undefined> {
  const proposed = await proposeRule(
    caller,
    calls.map((call) => ({ ...call, facts: factsOf(call) })),
    tool.version,
    Date.now(),
  )
  if (proposed === undefined) return undefined
  const { rule, count } = proposed
  const evidence = calls.slice(0, count)
  // No suggestion for calls that are already allowed, or that other rules or the floor would still
  // ask about.
  const isAllowed = async (rules: Policies['rules']): Promise<boolean> => {
    const cases = evidence.map((call) => ({
      call,
      levels: levelsOf(rules, call.rules ?? {}),
      tool,
    }))
    const judged = await judgeDecided(caller, cases, policies)
    return judged.every(({ outcome }) => outcome === 'execute')
  }
  if (await isAllowed(policies.rules)) return undefined
  if (!(await isAllowed([...policies.rules, rule]))) return undefined
  const [last, first] = [evidence[0], evidence.at(-1)]
  if (last === undefined || first === undefined) return undefined
  return {
    rule,
    count,
    first_decided_at: first.decidedAt,
    last_decided_at: last.decidedAt,
    decisions: evidence.map(evidenceOf),
  }
}

export function evidenceOf(call: DecidedCall): RuleSuggestion['decisions'][number] {
  return {
    run_id: call.runId,
    call_id: call.callId,
    decided_at: call.decidedAt,
    decided_by: call.decidedBy,
    decider: call.decider,
  }
}
