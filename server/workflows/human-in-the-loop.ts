import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { findStrangers } from '../people/members.ts'
import type { CreateWorkflow, HumanInTheLoop } from './schema.ts'

/** The settings with the given changes; throws if no one could answer. */
export async function changeHumanInTheLoop(
  ctx: Context,
  current: HumanInTheLoop,
  input: CreateWorkflow['human_in_the_loop'],
): Promise<HumanInTheLoop> {
  if (input === undefined) return current
  const approvers = distinct(input.approvers ?? current.approvers)
  const { users, roles } = approvers
  const escalate_to = distinct(input.escalate_to ?? current.escalate_to)
  const changed = { ...current, ...input, approvers, escalate_to }
  if (roles.length === 0 && approvers.users.length < changed.required_approvals) {
    const param = 'human_in_the_loop.approvers'
    const why = `${param} names ${approvers.users.length} people, expected a role or at least ${changed.required_approvals}`
    throw cannot(ctx, 'invalid_value', why, { param })
  }
  await refuseStrangers(ctx, 'approvers', users, current.approvers.users)
  await refuseStrangers(ctx, 'escalate_to', escalate_to.users, current.escalate_to.users)
  const { escalate_after_minutes: escalateAfter } = changed
  if (escalateAfter !== null && escalate_to.users.length + escalate_to.roles.length === 0) {
    const param = 'human_in_the_loop.escalate_to'
    throw cannot(ctx, 'required', `${param} names nobody to escalate to`, { param })
  }
  return changed
}

type People = HumanInTheLoop['approvers']

function distinct({ users = [], roles = [] }: Partial<People>): People {
  return { users: [...new Set(users)], roles: [...new Set(roles)] }
}

/**
 * Users that were named before may stay although they no longer exist, so that a workflow can be
 * sent back as it was read.
 */
async function refuseStrangers(
  ctx: Context,
  field: 'approvers' | 'escalate_to',
  users: string[],
  before: string[],
): Promise<void> {
  const added = users.filter((id) => !before.includes(id))
  const [stranger] = await findStrangers(ctx.database, ctx.accountId, added)
  if (stranger === undefined) return
  const param = `human_in_the_loop.${field}.users[${users.indexOf(stranger)}]`
  const why = `${param} is ${stranger}, not a user of this account`
  throw cannot(ctx, 'unknown_user', why, { param })
}
