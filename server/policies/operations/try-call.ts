import { readAgentsForRuns } from '../../agents/agents.ts'
import { toStoredTools } from '../../agents/caller-tools.ts'
import { checkRules } from '../../connectors/check-rules.ts'
import { openTools } from '../../connectors/open-tools.ts'
import type { Context } from '../../context.ts'
import { readFrozen } from '../../engine/reads/forks.ts'
import { findRun } from '../../engine/reads/runs.ts'
import { listWaiting } from '../../engine/reads/waiting.ts'
import {
  agentOf,
  type AgentForRun,
  type HumanInTheLoop,
  freezeRules,
  freezeTools,
  type FrozenRules,
} from '../../engine/run/definition.ts'
import { judgeCall } from '../../engine/run/ledger.ts'
import { cannot, notFound } from '../../errors.ts'
import { findCallerTool } from '../../tools/caller-tools.ts'
import type { Tool } from '../../tools/contract.ts'
import { findOwnTool } from '../../tools/own-tools.ts'
import { checkWorkflow } from '../../workflows/workflows.ts'
import { ruleOn } from '../fixed.ts'
import { readPolicies } from '../read.ts'
import { isSensitive, levelsOf, type CallFacts } from '../rules.ts'
import { evaluateConditions } from '../evaluate-conditions.ts'
import type { RulesTested, TestRules } from './schema.ts'

interface TriedCall {
  facts: CallFacts
  /** Rules of its agent. */
  rules: FrozenRules | undefined
  /** The action, if it is a caller's tool of its agent. */
  own: Tool | undefined
  /** Undefined if no workflow is named. */
  humanInTheLoop: HumanInTheLoop | undefined
}

/** Evaluates rules of all levels for a given call, or for a waiting one. */
export async function testRules(ctx: Context, input: TestRules): Promise<RulesTested> {
  const { rules, level = 'account' } = input
  await checkRules(ctx, rules)
  const policies = await readPolicies(ctx.database, ctx.accountId)
  const call = await (input.pending_id === undefined
    ? describedCall(ctx, input)
    : waitingCall(ctx, input.pending_id))
  const own = { account: policies.rules, ...call.rules, ...(rules && { [level]: rules }) }
  const { action: tool } = call.facts
  const [opened = findOwnTool(tool)] =
    call.own === undefined ? await openTools(ctx, ctx.accountId, [tool]) : []
  const action = call.own ?? opened
  const levels = levelsOf(own.account, own)
  const { facts } = call
  const inputSchema = action?.inputSchema
  const now = Date.now()
  const [evaluated = levels] = await evaluateConditions(ctx, [{ levels, facts, action }], now)
  const { args, rule } = ruleOn(evaluated, facts, inputSchema, now)
  const sensitive = isSensitive(policies, tool, action)
  const outcome =
    call.humanInTheLoop &&
    judgeCall({ tool, sensitive }, call.humanInTheLoop, policies.approvals_floor, rule?.decision)
  return { rule: rule ?? null, args, outcome: outcome ?? null }
}

async function describedCall(
  ctx: Context,
  { action, args = {}, agent = {}, workflow_id: workflowId, order, tags = {} }: TestRules,
): Promise<TriedCall> {
  if (action === undefined) throw refuse(ctx, 'required', 'action', 'missing, or pending_id')
  const workflow = workflowId === undefined ? undefined : await checkWorkflow(ctx, workflowId)
  if (order !== undefined && workflow === undefined)
    throw refuse(ctx, 'required', 'workflow_id', 'missing, order is of its crew')
  const entry = order === undefined ? undefined : workflow?.crew[order]
  if (order !== undefined && entry === undefined) {
    const why = `${order}, but the crew has ${workflow?.crew.length} agents, from 0`
    throw refuse(ctx, 'invalid_value', 'order', why)
  }
  const id = agent.id ?? entry?.agentId
  const standing = id === undefined ? undefined : await findAgent(ctx, id)
  const own =
    standing ?? (id === undefined ? { tools: toStoredTools(entry?.tools ?? []) } : undefined)
  return {
    facts: {
      action,
      args,
      agent: { id: id ?? '', role: agent.role ?? standing?.role ?? entry?.role ?? '' },
      workflow: { id: workflowId ?? '' },
      run: { id: '', tags },
    },
    rules: freezeRules(standing?.rules, entry?.rules),
    own: own && findCallerTool({ tools: freezeTools(own.tools).tools }, action),
    humanInTheLoop: workflow?.human_in_the_loop,
  }
}

async function findAgent(ctx: Context, id: string): Promise<AgentForRun> {
  const [agent] = await readAgentsForRuns(ctx.database, [{ accountId: ctx.accountId, id }])
  if (agent !== undefined) return agent
  throw refuse(ctx, 'unknown_agent', 'agent.id', `${id}, not an agent of this account`)
}

export async function waitingCall(ctx: Context, pendingId: string): Promise<TriedCall> {
  const { database, accountId } = ctx
  const [waiting] = await listWaiting(database, accountId, { limit: 1, pendingId })
  const runId = waiting?.run_id
  const run = runId === undefined ? undefined : await findRun(database, accountId, runId)
  const frozen = runId === undefined ? undefined : await readFrozen(database, { accountId, runId })
  const { calls = [] } = waiting?.pending ?? {}
  const asked = calls.find(({ id }) => id === pendingId) ?? waiting?.pending
  const tool = asked?.tool
  if (waiting === undefined || run === undefined || frozen === undefined || tool === undefined)
    throw notFound(ctx, 'pending approval', pendingId)
  const { step_order: position, role } = waiting.pending
  const { tool_input: args = {} } = asked ?? {}
  const agent = agentOf(frozen, { position, agentId: frozen.crew[position]?.agentId ?? null })
  return {
    facts: {
      action: tool,
      args,
      agent: { id: agent.agentId ?? '', role },
      workflow: { id: run.workflow_id },
      run: { id: run.id, tags: run.tags },
    },
    rules: agent.rules,
    own: findCallerTool(agent, tool),
    humanInTheLoop: frozen.humanInTheLoop,
  }
}

function refuse(
  ctx: Context,
  code: 'required' | 'invalid_value' | 'unknown_agent',
  param: string,
  why: string,
): Error {
  return cannot(ctx, code, `${param} is ${why}`, { param })
}
