import { openTools } from '../connectors/open-tools.ts'
import type { Context } from '../context.ts'
import type { findCall } from '../engine/journal/respond.ts'
import { readFrozen } from '../engine/reads/forks.ts'
import { within, type FittingAnswer, type Refusal } from '../engine/run/answer.ts'
import { asInStep } from '../engine/run/definition.ts'
import type { Run } from '../engine/wire/run.ts'
import { cannot, type DomainError } from '../errors.ts'
import { findOther, hasFixed, ruleOn } from '../policies/fixed.ts'
import { levelsOf } from '../policies/rules.ts'
import { evaluateConditions } from '../policies/evaluate-conditions.ts'
import type { Policies } from '../policies/schema.ts'
import { findCallerTool } from '../tools/caller-tools.ts'
import { checkArguments } from '../tools/check-input.ts'
import { findOwnTool } from '../tools/own-tools.ts'

/**
 * Checks of an answer that depend on the current tools and rules; `engine/run/answer.ts` judges the
 * rest.
 */

/**
 * Rejects an approval or edit of a call that a current rule blocks, or that changes an argument set
 * by a rule.
 */
export async function refuseByRules(
  ctx: Context,
  {
    id,
    run,
    policies,
    call,
  }: {
    id: string
    /** Facts about the run that rules are evaluated on; they never change. */
    run: Pick<Run, 'workflow_id' | 'tags'>
    policies: Policies
    call: Awaited<ReturnType<typeof findCall>>
  },
  { pending, answer, path }: FittingAnswer,
): Promise<void> {
  if (pending.tool === undefined) return
  const levels = levelsOf(policies.rules, asInStep(call.agent, call).rules)
  const args = answer.tool_input ?? pending.tool_input ?? {}
  const facts = {
    action: pending.tool,
    args,
    agent: { id: call.agentId ?? '', role: pending.role },
    workflow: { id: run.workflow_id },
    run: { id, tags: run.tags },
  }
  const own = findCallerTool(asInStep(call.agent, call), pending.tool)
  const [tool = own] =
    hasFixed(levels) && own === undefined ? await openTools(ctx, ctx.accountId, [pending.tool]) : []
  const inputSchema = tool?.inputSchema
  const now = Date.now()
  const [evaluated = levels] = await evaluateConditions(ctx, [{ levels, facts, action: tool }], now)
  const { fixed, rule } = ruleOn(evaluated, facts, inputSchema, now)
  const other = findOther(fixed, args)
  if (other !== undefined) {
    const value = JSON.stringify(fixed.values[other]).slice(0, 200)
    const why = `a rule sets tool_input.${other} to ${value}, expected that value`
    const param = `tool_input.${other}`
    throw toError(within(path, { kind: 'refused', code: 'blocked_by_rule', why, param }))
  }
  if (rule?.decision !== 'block') return
  const reason = rule.reason === null ? '' : ` (${rule.reason})`
  const why = `a rule blocks it${reason}`
  throw toError(within(path, { kind: 'refused', code: 'blocked_by_rule', why }))
}

/**
 * Edited arguments must fit the action's schema, and the size limit for calls that need approval.
 */
export async function checkEdit(
  ctx: Context,
  runId: string,
  { pending, answer: { tool_input: input }, path }: FittingAnswer,
): Promise<void> {
  if (input === undefined) return
  const { tool: id = '', step_order: position } = pending
  const frozen = await readFrozen(ctx.database, { accountId: ctx.accountId, runId })
  const own = frozen?.crew[position] && findCallerTool(frozen.crew[position], id)
  const [opened = findOwnTool(id)] =
    own === undefined ? await openTools(ctx, ctx.accountId, [id]) : []
  const tool = own ?? opened
  const why =
    tool === undefined
      ? `${pending.tool} is no longer connected`
      : await checkArguments(ctx, { ...tool, maxInputBytes: undefined }, input)
  if (why === undefined) return
  // If one argument is wrong, the reason starts with its path.
  const [argument = ''] = why.split(' ', 1)
  const isArgument = Object.hasOwn(input, argument.split('.', 1)[0] ?? '')
  const refusal = {
    kind: 'refused',
    code: 'invalid_arguments',
    why: `tool_input: ${why}`,
    param: isArgument ? `tool_input.${argument}` : 'tool_input',
  } as const
  throw toError(within(path, refusal))
}

export function toError({ code, why, param }: Omit<Refusal, 'kind'>): DomainError {
  return cannot({ action: 'respond to run' }, code, why, param === undefined ? {} : { param })
}
