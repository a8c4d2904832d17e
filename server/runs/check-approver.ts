import type { Context } from '../context.ts'
import type { Transaction } from '../db/client.ts'
import type { PendingRequest } from '../engine/state/pending-request.ts'
import { DomainError } from '../errors.ts'
import { readPolicies } from '../policies/read.ts'
import type { GivenAnswer } from './check-answer.ts'
import { findShown } from './shown-store.ts'

interface Waiting {
  id: string
  pending: PendingRequest
  triggerers: string[]
}

/** Refuses who may not give this answer, or answers without having seen what waits. */
export async function checkApprover(
  transaction: Transaction,
  { accountId, actor, role }: Pick<Context, 'accountId' | 'actor' | 'role'>,
  { id, pending, triggerers }: Waiting,
  answer: GivenAnswer,
): Promise<void> {
  const { approvers, approvals } = pending
  const policies = await readPolicies(transaction, accountId)
  if (answer.pending_id === undefined) {
    if (policies.require_pending_id) {
      throw new DomainError(
        'required',
        'Cannot respond to run: pending_id is missing, the account requires it (policy require_pending_id)',
        { param: 'pending_id' },
      )
    }
    const shown = await findShown(transaction, accountId, id, actor.id)
    if (shown !== undefined && shown !== pending.id) {
      throw new DomainError(
        'pending_changed',
        `Cannot respond to run: you were shown ${shown}, it waits for ${pending.id} now; look at it and send its pending_id`,
      )
    }
  }
  if (!approvers.users.includes(actor.id) && !approvers.roles.some((one) => one === role)) {
    throw new DomainError(
      'not_an_approver',
      'Cannot respond to run: its workflow says that others answer (human_in_the_loop.approvers)',
    )
  }
  if (answer.action !== 'approve') return
  if (policies.four_eyes && triggerers.includes(actor.id)) {
    throw new DomainError(
      'four_eyes',
      'Cannot respond to run: whoever triggered it may not approve in it (policy four_eyes)',
    )
  }
  const { required = 1, by = [] } = approvals ?? {}
  if (required === 1) return
  if (actor.type !== 'user') {
    throw new DomainError(
      'user_required',
      `Cannot respond to run: ${required} people have to approve, a key is none`,
    )
  }
  if (answer.tool_input === undefined && by.some((one) => one.id === actor.id)) {
    throw new DomainError(
      'already_approved',
      `Cannot respond to run: you have approved already, ${required} different people have to`,
    )
  }
}
