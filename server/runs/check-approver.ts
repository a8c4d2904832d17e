import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import type { PendingRequest } from '../engine/run/pending.ts'
import { readPolicies } from '../policies/read.ts'
import { cannotRespond, type GivenAnswer } from './check-answer.ts'

interface Waiting {
  pending: PendingRequest
  triggerers: string[]
}

/** Refuses an answer that its sender may not give. */
export async function checkApprover(
  transaction: Transaction,
  { accountId, actor, role }: Pick<Context, 'accountId' | 'actor' | 'role'>,
  { pending, triggerers }: Waiting,
  answer: GivenAnswer,
): Promise<void> {
  const { approvers, approvals } = pending
  const policies = await readPolicies(transaction, accountId)
  if (answer.pending_id === undefined) {
    if (policies.require_pending_id) {
      const why = 'pending_id is missing, the account requires it (policy require_pending_id)'
      throw cannotRespond('required', why, 'pending_id')
    }
  }
  if (!approvers.users.includes(actor.id) && !approvers.roles.some((one) => one === role)) {
    const why = 'its workflow says that others answer (human_in_the_loop.approvers)'
    throw cannotRespond('not_an_approver', why)
  }
  if (answer.action !== 'approve') return
  if (policies.four_eyes && triggerers.includes(actor.id)) {
    const why = 'the person who triggered it may not approve in it (policy four_eyes)'
    throw cannotRespond('four_eyes', why)
  }
  const { required = 1, by = [] } = approvals ?? {}
  if (required === 1) return
  if (actor.type !== 'user') {
    throw cannotRespond('user_required', `${required} people have to approve, a key is none`)
  }
  if (answer.tool_input === undefined && by.some((one) => one.id === actor.id)) {
    const why = `you have approved already, ${required} different people have to`
    throw cannotRespond('already_approved', why)
  }
}
