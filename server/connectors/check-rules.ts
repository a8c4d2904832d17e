import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { refuseRules } from '../policies/rules.ts'
import type { Caller } from '../sandbox/sandbox.ts'
import type { Rule } from '../policies/schema.ts'
import { checkForeign } from '../tools/check-foreign.ts'
import { openTools } from './open-tools.ts'

/**
 * Throws for invalid rules, and for rules that set arguments which their action does not have.
 * `place` is the path of the list.
 */
export async function checkRules(ctx: Context, rules: Rule[] = [], place = 'rules'): Promise<void> {
  await parseRules(ctx, rules, place)
  for (const [position, { action, fixed }] of rules.entries()) {
    if (fixed == null || action.includes('*')) continue
    // Unknown if the connection does not exist yet; then its calls need approval.
    const [tool] = await openTools(ctx, ctx.accountId, [action])
    if (tool === undefined) continue
    const { required: _, ...schema } = tool.inputSchema
    const why = checkForeign(schema, fixed)
    if (why === undefined) continue
    const param = `${place}[${position}].fixed`
    throw cannot(ctx, 'invalid_value', `${param} does not fit ${action}: ${why}`, { param })
  }
}

/** Throws for conditions that cannot be used. Remembered, so that it is quick within a transaction that follows. */
export async function parseRules(
  caller: Caller,
  rules: Rule[] = [],
  place = 'rules',
): Promise<void> {
  const unread = await refuseRules(caller, rules)
  if (unread === undefined) return
  const param = `${place}${unread.path}`
  const code = unread.path.endsWith('.when') ? 'invalid_expression' : 'invalid_value'
  throw cannot(caller, code, `${param} ${unread.why}`, { param })
}
