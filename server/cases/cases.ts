import { recordAudit } from '../audit/record.ts'
import { listNotifications, notifyAssignee } from '../sends/channels/notifications.ts'
import type { Context } from '../context.ts'
import type { Database } from '../db/client.ts'
import { caseIdOf } from '../engine/run/case.ts'
import { listWaiting } from '../engine/reads/waiting.ts'
import type { WaitingRun } from '../engine/wire/pending.ts'
import { cannot, notFound } from '../errors.ts'
import { findPerson, type Person } from '../people/find-person.ts'
import type { AssignCase, Case } from './schema.ts'
import { findNoted, putAssignee } from './store.ts'

/**
 * A case is what a run asks people for at one time, a single request or several calls of one turn,
 * together with its assignee and comments. These affect neither who may answer nor the answer
 * itself.
 */
export async function retrieveCase(ctx: Context, pendingId: string): Promise<Case> {
  const waiting = await findWaiting(ctx, ctx.database, pendingId)
  const noted = await findNoted(ctx.database, ctx.accountId, caseIdOf(waiting.pending))
  return show(ctx, waiting, noted?.assignee_id ?? null)
}

/** Assigns a case to another person, or to none; notifies the new assignee. */
export async function assignCase(
  ctx: Context,
  id: string,
  { user_id: userId }: AssignCase,
): Promise<Case> {
  const waiting = await findWaiting(ctx, ctx.database, id)
  const { run_id: runId, workflow_id: workflowId, pending } = waiting
  const pendingId = caseIdOf(pending)
  const person = userId === null ? undefined : await findApprover(ctx, waiting, userId)
  await ctx.database.transaction().execute(async (transaction) => {
    const before = await findNoted(transaction, ctx.accountId, pendingId)
    if ((before?.assignee_id ?? null) === userId) return
    await putAssignee(transaction, ctx.accountId, { pendingId, runId, userId })
    await recordAudit(transaction, ctx, {
      objectId: pendingId,
      before: { assignee_id: before?.assignee_id ?? null },
      after: { assignee_id: userId },
    })
    if (person === undefined || person.id === ctx.actor.id) return
    const about = { runId, workflowId, pendingId, callId: pending.call_id }
    await notifyAssignee(transaction, ctx.accountId, about, {
      email: person.email,
      key: ctx.audit.id,
    })
  })
  return show(ctx, waiting, userId)
}

async function findApprover(
  ctx: Context,
  { pending: { approvers } }: WaitingRun,
  userId: string,
): Promise<Person> {
  const person = await findPerson(ctx.database, ctx.accountId, { id: userId })
  const isApprover =
    approvers.users.includes(userId) || approvers.roles.some((role) => role === person?.role)
  if (person !== undefined && isApprover) return person
  const why =
    person === undefined
      ? `user_id is ${userId}, not a user of this account`
      : `user_id is ${userId}, who may not answer it (human_in_the_loop.approvers)`
  throw cannot(ctx, 'unknown_user', why, { param: 'user_id' })
}

export async function findWaiting(
  ctx: Context,
  database: Database,
  pendingId: string,
): Promise<WaitingRun> {
  const [waiting] = await listWaiting(database, ctx.accountId, { limit: 1, pendingId })
  if (waiting === undefined) throw notFound(ctx, 'pending request', pendingId)
  return waiting
}

async function show(ctx: Context, waiting: WaitingRun, assigneeId: string | null): Promise<Case> {
  const pendingId = caseIdOf(waiting.pending)
  const person =
    assigneeId === null
      ? undefined
      : await findPerson(ctx.database, ctx.accountId, { id: assigneeId })
  const sent = await listNotifications(
    ctx,
    { limit: maxShown, after: undefined },
    { pending_id: pendingId },
  )
  return {
    ...waiting,
    // An assignee who left the account is not shown.
    assignee: person === undefined ? null : { id: person.id, name: person.name },
    notifications: sent.items,
  }
}

/** Enough for twenty channels with twenty recipients, and follow-up messages. */
const maxShown = 1_000
