import { whileLocked } from '../accounts/lock.ts'
import { cannot } from '../errors.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { readPolicies } from './read.ts'
import { judgeByRules, refuseRules, type Rule } from './rules.ts'
import type { Policies, RulesTested, TestRules, UpdatePolicies } from './schema.ts'
import { putPolicies } from './store.ts'

/** Changes the policies that are given, for all runs at once: also for those that have begun. */
export function updatePolicies(ctx: Context, input: UpdatePolicies): Promise<Policies> {
  const { accountId } = ctx
  checkRules(ctx, input.rules)
  return whileLocked(ctx, async (transaction) => {
    const before = await readPolicies(transaction, accountId)
    const after = await putPolicies(transaction, accountId, { ...before, ...input })
    await recordAudit(transaction, ctx, { objectId: accountId, before, after })
    return after
  })
}

/** Which rule would decide about a call. */
export async function testRules(
  ctx: Context,
  { rules, action, args = {}, agent = {}, workflow_id: workflowId = '', tags = {} }: TestRules,
): Promise<RulesTested> {
  checkRules(ctx, rules)
  const tried = rules ?? (await readPolicies(ctx.database, ctx.accountId)).rules
  const facts = {
    action,
    args,
    agent: { id: '', role: '', ...agent },
    workflow: { id: workflowId },
    run: { id: '', tags },
  }
  return { rule: judgeByRules([{ level: 'account', rules: tried }], facts, Date.now()) ?? null }
}

function checkRules(ctx: Context, rules: Rule[] = []): void {
  const unread = refuseRules(rules)
  if (unread === undefined) return
  const param = `rules[${unread.position}].when`
  throw cannot(ctx, 'invalid_expression', `${param} is no CEL condition: ${unread.why}`, { param })
}
