import { isDeepStrictEqual } from 'node:util'
import { whileLocked } from '../../accounts/bounds.ts'
import { isRepeated, recordAudit } from '../../audit/record.ts'
import { checkRules } from '../../connectors/check-rules.ts'
import type { Context } from '../../context.ts'
import { cannot, tooMany } from '../../errors.ts'
import { lifetimeMs } from '../propose-rule.ts'
import { readPolicies } from '../read.ts'
import { maxRules, type Rule, type Policies, type UpdatePolicies } from '../schema.ts'
import { putPolicies } from '../store.ts'
import type { AddRule, RuleChanged } from './schema.ts'

/** Changes the given policies, for all runs at once, including those that have started. */
export async function updatePolicies(ctx: Context, input: UpdatePolicies): Promise<Policies> {
  const { accountId } = ctx
  await checkRules(ctx, input.rules)
  return whileLocked(ctx, async (transaction) => {
    const before = await readPolicies(transaction, accountId)
    const after = await putPolicies(transaction, accountId, { ...before, ...input })
    await recordAudit(transaction, ctx, { objectId: accountId, before, after })
    return after
  })
}

/** Appends a rule to the account's rules, safe against concurrent changes. */
export async function addRule(ctx: Context, { rule: given }: AddRule): Promise<RuleChanged> {
  const endsAt = new Date(Date.now() + lifetimeMs).toISOString()
  const rule = { ...given, expires_at: given.expires_at === undefined ? endsAt : given.expires_at }
  await changeRules(ctx, async (rules, inside) => {
    if (rules.length >= maxRules) throw tooMany(ctx, 'too_many_rules', maxRules, 'rules')
    const all = [...rules, rule]
    await checkRules(inside, all)
    return all
  })
  return { rule }
}

/** Removes the account's first rule that is equal. */
export async function removeRule(ctx: Context, { rule }: AddRule): Promise<RuleChanged> {
  await changeRules(ctx, async (rules) => {
    const index = rules.findIndex((one) => isDeepStrictEqual(plain(one), plain(rule)))
    if (index === -1)
      throw cannot(ctx, 'unknown_rule', 'the account has no such rule', { param: 'rule' })
    return rules.toSpliced(index, 1)
  })
  return { rule }
}

async function changeRules(
  ctx: Context,
  change: (rules: Rule[], inside: Context) => Promise<Rule[]>,
): Promise<void> {
  const { accountId } = ctx
  await whileLocked(ctx, async (transaction) => {
    if (await isRepeated(transaction, ctx)) return
    const before = await readPolicies(transaction, accountId)
    const rules = await change(before.rules, { ...ctx, database: transaction })
    const after = await putPolicies(transaction, accountId, { ...before, rules })
    await recordAudit(transaction, ctx, { objectId: accountId, before, after })
  })
}

/** Null and absent fields are equal. */
function plain(rule: Rule): object {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== null))
}
