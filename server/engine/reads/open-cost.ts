import { sql } from 'kysely'
import type { Database, Transaction } from '../../db/client.ts'
import { run } from '../../db/run.ts'

/** Which calls are meant: all, or those of a workflow, an agent or a tag (`key:value`). */
export interface CostScope {
  scope: 'account' | 'workflow' | 'agent' | 'thread' | 'tag'
  scope_value: string | null
}

/** Cost so far of steps in progress, in US dollars. Usage counts a step only once it has ended. */
export async function readOpenCost(
  database: Database | Transaction,
  accountId: string,
  { scope, scope_value: value }: CostScope,
): Promise<number> {
  const [key = '', ...rest] = (value ?? '').split(':')
  const isMeant = {
    account: sql`true`,
    workflow: sql`runs.workflow_id = ${value}`,
    agent: sql`steps.agent_id = ${value}`,
    thread: sql`runs.thread_id = ${value}`,
    tag: sql`runs.tags ->> ${key} = ${rest.join(':')}`,
  }[scope]
  const query = sql<{ cost: number }>`
    select coalesce(sum(steps.cost_usd), 0)::float8 as cost
    from runs join steps on steps.account_id = ${accountId} and steps.run_id = runs.id
    where runs.account_id = ${accountId} and runs.status in ('running', 'waiting_input')
      and steps.finished_at is null and ${isMeant}`
  const [row] = await run(database, accountId, query)
  return row?.cost ?? 0
}
