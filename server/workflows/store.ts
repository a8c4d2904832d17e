import { sql } from 'kysely'
import type { Database, Transaction } from '../db/client.ts'
import { OwnedTable } from '../db/owned-table.ts'
import type { CallerTool } from '../agents/schema.ts'
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

type Schema = Record<string, unknown>

function toStored(crew: unknown): unknown {
  return (crew as CrewEntry[]).map(({ output_schema: schema, tools, ...entry }) => ({
    ...entry,
    ...(schema != null && { output_schema: JSON.stringify(schema) }),
    ...(tools && {
      tools: tools.map((tool) => ({ ...tool, input_schema: JSON.stringify(tool.input_schema) })),
    }),
  }))
}

function fromStored(crew: unknown): CrewEntry[] {
  return (crew as CrewEntry[]).map((entry) => {
    const { output_schema: schema, tools } = entry
    return {
      ...entry,
      ...(typeof schema === 'string' && { output_schema: JSON.parse(schema) as Schema }),
      ...(tools && { tools: tools.map(withSchema) }),
    }
  })
}

function withSchema(tool: CallerTool): CallerTool {
  return { ...tool, input_schema: JSON.parse(tool.input_schema as unknown as string) as Schema }
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

/** A workflow as a tool. */
export interface ExposedWorkflow {
  id: string
  name: string
  description: string | null
  expose_mcp: NonNullable<Workflow['expose_mcp']>
  input_schema: Schema | null
  /** Of the last crew entry: its own schema as text, and the standing agent that it links. */
  output_schema: string | null
  agent_id: string | null
  /** An agent of the crew may have tools. */
  may_act: boolean
  takes_threads: boolean
}

const toExposed = sql`
  id, name, description, expose_mcp, input_schema, thread is not null as takes_threads,
  crew -> -1 ->> 'output_schema' as output_schema, crew -> -1 ->> 'agentId' as agent_id,
  exists (
    select from jsonb_array_elements(crew) as entry
    where entry ? 'agentId'
       or jsonb_array_length(coalesce(entry -> 'capabilities', '[]')) > 0
       or jsonb_array_length(coalesce(entry -> 'tools', '[]')) > 0) as may_act`
const toolName = sql`(expose_mcp ->> 'name') collate "C"`

/** The active workflows that are tools, by the name of the tool. */
export async function listExposed(
  database: Database,
  accountId: string,
  { after, limit }: { after: string; limit: number },
): Promise<ExposedWorkflow[]> {
  const { rows } = await sql<ExposedWorkflow>`
    select ${toExposed} from workflows
    where account_id = ${accountId} and expose_mcp is not null and ${toolName} > ${after}
      and status = 'active'
    order by ${toolName} limit ${limit}`.execute(database)
  return rows
}

/** The workflow with a tool of this name, paused ones too. */
export async function findByTool(
  database: Database | Transaction,
  accountId: string,
  name: string,
): Promise<ExposedWorkflow | undefined> {
  const { rows } = await sql<ExposedWorkflow>`
    select ${toExposed} from workflows
    where account_id = ${accountId} and expose_mcp is not null and ${toolName} = ${name}`.execute(
    database,
  )
  return rows[0]
}
