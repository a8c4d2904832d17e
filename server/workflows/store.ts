import { sql } from 'kysely'
import type { Database } from '../db/client.ts'
import { OwnedTable } from '../db/owned-table.ts'
import { defaultHumanInTheLoop, defaultLimits } from './definition.ts'
import { Workflow, type CrewEntry, type HumanInTheLoop, type Limits } from './schema.ts'

/**
 * All SQL of workflows, listed by their last change. The crew is `jsonb`, which does not keep the
 * order of keys, but models write fields in the order of their schema: so the schema is stored in
 * it as text.
 */
export const workflows = new OwnedTable<Workflow>(
  'workflows',
  Object.keys(Workflow.properties).filter((name) => name !== 'warnings'),
  'updated_at',
  {
    crew: { toRow: toStored, fromRow: fromStored },
    // Workflows of the previous version lack newer settings.
    human_in_the_loop: {
      toRow: (settings) => settings,
      fromRow: (settings) => ({ ...defaultHumanInTheLoop, ...(settings as HumanInTheLoop) }),
    },
    limits: {
      toRow: (limits) => limits,
      fromRow: (limits) => ({ ...defaultLimits, ...(limits as Limits) }),
    },
  },
)

function toStored(crew: unknown): unknown {
  return (crew as CrewEntry[]).map(({ output_schema: schema, ...entry }) =>
    schema == null ? entry : { ...entry, output_schema: JSON.stringify(schema) },
  )
}

function fromStored(crew: unknown): CrewEntry[] {
  return (crew as CrewEntry[]).map((entry) =>
    typeof entry.output_schema === 'string'
      ? {
          ...entry,
          output_schema: JSON.parse(entry.output_schema) as CrewEntry['output_schema'] & {},
        }
      : entry,
  )
}

/** The input schema of a workflow as text, with the hash that triggers refer to. */
export async function findInputSchema(
  database: Database,
  accountId: string,
  id: string,
): Promise<{ text: string; hash: string } | undefined> {
  const { rows } = await sql<{ text: string; hash: string }>`
    select input_schema::text as text, md5(input_schema::text) as hash from workflows
    where account_id = ${accountId} and id = ${id} and input_schema is not null`.execute(database)
  return rows[0]
}
