import { sql, type RawBuilder } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { eachAccount, inScope, run, type SweepScope } from '../../db/run.ts'
import { isServed } from '../../work/claim.ts'
import { settingOfRun, waitingRuns } from '../../engine/reads/cases.ts'

/**
 * SQL of follow-up messages of a case: a reminder to each recipient, and an escalation to the
 * people whom the workflow names. Each is sent once and cannot answer anything.
 */
const casesAtOnce = 200

/** Open first messages of cases that are older than a time that their run's workflow sets. */
function overdue(
  scope: SweepScope,
  setting: 'remind_after_minutes' | 'escalate_after_minutes',
  kind: 'reminder' | 'escalation',
): RawBuilder<unknown> {
  return sql`
    select told.*, channel.kind as channel_kind, run.workflow_id,
           ${settingOfRun('run', 'escalate_to')} as escalate_to
    from notifications as told
    join channels as channel on channel.account_id = told.account_id and channel.id = told.channel_id
      and channel.active
    join ${waitingRuns} on run.account_id = told.account_id and run.id = told.run_id
    where told.is_open and told.kind = 'case' and ${isServed('told')}${inScope('told', scope)}
      and told.created_at + (${settingOfRun('run', setting)} #>> '{}')::int * interval '1 minute' <= now()
      and not exists (
        select from notifications as later
        where later.account_id = told.account_id and later.pending_id = told.pending_id
          and later.channel_id = told.channel_id and later.kind = ${sql.lit(kind)})
    order by told.created_at limit ${sql.lit(casesAtOnce)}`
}

export function remindOfCases(database: Database): Promise<number> {
  return eachAccount(database, sql`notifications where is_open`, async (scope) => {
    const query = sql`
      insert into notifications
        (account_id, id, channel_id, kind, key, run_id, pending_id, call_id, recipient, is_open)
      select account_id, new_id('ntf'), channel_id, 'reminder', 'reminder ' || key, run_id, pending_id,
             call_id, recipient, true
      from (${overdue(scope, 'remind_after_minutes', 'reminder')}) as due
      on conflict do nothing returning 1 as one`
    return (await run(database, scope, query)).length
  })
}

/** By email to each person, and in the thread of a Slack message. */
export function escalateCases(database: Database): Promise<number> {
  return eachAccount(database, sql`notifications where is_open`, async (scope) => {
    const query = sql`
      insert into notifications
        (account_id, id, channel_id, kind, key, run_id, pending_id, call_id, recipient, is_open)
      select due.account_id, new_id('ntf'), due.channel_id, 'escalation',
             'escalation ' || due.pending_id || ' ' || told.recipient, due.run_id, due.pending_id,
             due.call_id, told.recipient, true
      from (${overdue(scope, 'escalate_after_minutes', 'escalation')}) as due
      cross join lateral (
        select due.recipient where due.channel_kind = 'slack'
        union
        select users.email from memberships join users on users.id = memberships.user_id
        where due.channel_kind = 'email' and memberships.account_id = due.account_id
          and (due.escalate_to -> 'users' ? users.id or due.escalate_to -> 'roles' ? memberships.role)
      ) as told (recipient)
      on conflict do nothing returning 1 as one`
    return (await run(database, scope, query)).length
  })
}

/**
 * Notifies a person that a case was assigned to them, through the first email channel that
 * announces its workflow, if there is one.
 */
export async function notifyAssignee(
  transaction: Transaction,
  accountId: string,
  {
    runId,
    workflowId,
    pendingId,
    callId,
  }: Record<'runId' | 'workflowId' | 'pendingId', string> & { callId: string | undefined },
  { email, key }: { email: string; key: string },
): Promise<void> {
  await sql`
    insert into notifications
      (account_id, id, channel_id, kind, key, run_id, pending_id, call_id, recipient, is_open)
    select account_id, new_id('ntf'), id, 'assignment', ${`assignment ${key}`}, ${runId}, ${pendingId},
           ${callId ?? null}, ${email}, true
    from channels
    where account_id = ${accountId} and kind = 'email' and active
      and (workflow_ids is null or ${workflowId} = any (workflow_ids))
    order by id limit 1
    on conflict do nothing`.execute(transaction)
}
