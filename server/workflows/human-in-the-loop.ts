import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { findStrangers } from '../people/find-strangers.ts'
import type { CreateWorkflow, HumanInTheLoop } from './schema.ts'

/** The settings with what is given in their place; refused where nobody could answer. */
export async function changeHumanInTheLoop(
  ctx: Context,
  current: HumanInTheLoop,
  input: CreateWorkflow['human_in_the_loop'],
): Promise<HumanInTheLoop> {
  if (input === undefined) return current
  const { users = [], roles = [] } = input.approvers ?? current.approvers
  const approvers = { users: [...new Set(users)], roles: [...new Set(roles)] }
  const changed = { ...current, ...input, approvers }
  if (roles.length === 0 && approvers.users.length < changed.required_approvals) {
    const param = 'human_in_the_loop.approvers'
    const why = `${param} names ${approvers.users.length} people, expected a role or at least ${changed.required_approvals}`
    throw cannot(ctx, 'invalid_value', why, { param })
  }
  // Who was named before may stay, though they are gone: what was read can be sent back.
  const added = approvers.users.filter((id) => !current.approvers.users.includes(id))
  const [stranger] = await findStrangers(ctx.database, ctx.accountId, added)
  if (stranger !== undefined) {
    const param = `human_in_the_loop.approvers.users[${users.indexOf(stranger)}]`
    const why = `${param} is ${stranger}, not a user of this account`
    throw cannot(ctx, 'unknown_user', why, { param })
  }
  return changed
}
