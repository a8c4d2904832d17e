import { sql } from 'kysely'
import type { Database } from '../../db/client.ts'
import { behind, type Cursor } from '../../db/keyset.ts'

interface CompletedRun {
  id: string
  input: string
  data: object | null
  /** Text of the earlier turns of its thread. */
  context: string | null
  createdAt: Date
  steps: {
    role: string
    output: string | null
    /** From the frozen definition; for a reused step, from the run that it comes from. */
    instructions: string | null
    reusedFrom: string | null
    isCut: boolean | null
  }[]
}

/** Completed runs of a workflow with their steps, newest first. */
export async function readCompletedRuns(
  database: Database,
  accountId: string,
  workflowId: string,
  limit: number,
  after: Cursor | undefined,
): Promise<CompletedRun[]> {
  const { rows } = await sql<CompletedRun>`
    with page as materialized (
      select id, input, data::text as data, context, created_at, definition_hash from runs
      where account_id = ${accountId} and workflow_id = ${workflowId} and status = 'completed'
        and ${behind('created_at', after)}
      order by created_at desc, id desc limit ${limit}::int
    )
    select page.id, page.input, page.data::json as data, page.context, page.created_at as "createdAt",
           json_agg(json_build_object(
             'role', steps.role, 'output', steps.output, 'reusedFrom', steps.reused_from,
             'isCut', steps.finish_reason = 'length',
             'instructions', coalesce(
               -- The standing agent was deleted, so the step ran with the crew entry's own
               -- instructions.
               case when steps.agent_id is null then agent.body -> 'fallback' ->> 'instructions' end,
               agent.body ->> 'instructions'))
             order by steps.position) as steps
    from page
    join steps on steps.account_id = ${accountId} and steps.run_id = page.id
    left join runs as origin on origin.account_id = ${accountId} and origin.id = steps.reused_from
    left join definitions on definitions.account_id = ${accountId}
      and definitions.hash = coalesce(origin.definition_hash, page.definition_hash)
    cross join lateral (select definitions.body -> 'crew' -> steps.position::int as body) as agent
    group by page.id, page.input, page.data, page.context, page.created_at
    order by page.created_at desc, page.id desc`.execute(database)
  return rows
}
