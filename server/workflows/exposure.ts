import { readAgentsForRuns } from '../agents/agents.ts'
import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import type { UpdateWorkflow, Workflow } from './schema.ts'
import { findByTool, listExposed, type ExposedWorkflow } from './store.ts'

/** Tools of the MCP server that run no workflow. */
export const builtInTools = [
  'run_status',
  'run_wait',
  'run_cancel',
  'inbox_list',
  'inbox_answer',
] as const
export type BuiltInTool = (typeof builtInTools)[number]

/** Parameters that the tool of a workflow has besides those of its input schema. */
const ownParameters = ['wait_seconds', 'thread']

/**
 * The `expose_mcp` of a workflow after a change; throws if its tool cannot have this name or this input. `workflow` has
 * the changed fields, with the stored `expose_mcp`. The account must be locked, which keeps the name free.
 */
export async function changeExposure(
  ctx: Context,
  workflow: Pick<Workflow, 'id' | 'name' | 'input_schema' | 'expose_mcp'>,
  given: UpdateWorkflow['expose_mcp'],
): Promise<Workflow['expose_mcp']> {
  const { expose_mcp: stored } = workflow
  if (given === null || (given === undefined && stored === null)) return null
  const exposed = {
    name: given?.name ?? stored?.name ?? toToolName(workflow),
    description: given === undefined ? (stored?.description ?? null) : (given.description ?? null),
  }
  refuseParameters(ctx, workflow.input_schema)
  await refuseName(ctx, workflow.id, exposed.name)
  return exposed
}

function refuseParameters(ctx: Context, schema: Workflow['input_schema']): void {
  const properties = schema?.['properties'] ?? {}
  const taken = ownParameters.find((name) => Object.hasOwn(properties, name))
  if (taken === undefined) return
  const param = `input_schema.properties.${taken}`
  const why = `${param} has the name of a parameter that every MCP tool has, expected another name, or no expose_mcp`
  throw cannot(ctx, 'invalid_schema', why, { param })
}

async function refuseName(ctx: Context, id: string, name: string): Promise<void> {
  const param = 'expose_mcp.name'
  if (builtInTools.some((one) => one === name)) {
    const why = `${param} is ${name}, the name of a tool of the MCP server itself`
    throw cannot(ctx, 'invalid_value', why, { param })
  }
  const other = await findByTool(ctx.database, ctx.accountId, name)
  if (other === undefined || other.id === id) return
  const why = `${param} is ${name}, the tool of the workflow ${other.name} (${other.id})`
  throw cannot(ctx, 'name_taken', why, { param })
}

const longestName = 64

/** `Incident report` becomes `incident_report`; a name without letters of the Latin alphabet becomes the id. */
function toToolName({ id, name }: Pick<Workflow, 'id' | 'name'>): string {
  const words = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const slug = words.replaceAll(/[^a-z0-9]+/g, '_').replace(/^_/, '')
  return slug.slice(0, longestName).replace(/_$/, '') || id
}

/** A workflow that is a tool, with the schema of its output. */
export type WorkflowTool = Omit<ExposedWorkflow, 'output_schema' | 'agent_id'> & {
  output_schema: Record<string, unknown> | null
}

/** The tools of an account after a name, by name. */
export async function listWorkflowTools(
  ctx: Pick<Context, 'reads' | 'accountId'>,
  page: { after: string; limit: number },
): Promise<WorkflowTool[]> {
  return withOutputs(ctx, await listExposed(ctx.reads, ctx.accountId, page))
}

/** The workflow with this tool, paused ones too. */
export async function findWorkflowTool(
  ctx: Pick<Context, 'reads' | 'accountId'>,
  name: string,
): Promise<Omit<ExposedWorkflow, 'output_schema' | 'agent_id'> | undefined> {
  return findByTool(ctx.reads, ctx.accountId, name)
}

/** The schema of a crew entry takes precedence over that of its agent. */
async function withOutputs(
  { reads, accountId }: Pick<Context, 'reads' | 'accountId'>,
  tools: ExposedWorkflow[],
): Promise<WorkflowTool[]> {
  const linked = tools.flatMap(({ agent_id: id, output_schema: own }) =>
    id === null || own !== null ? [] : [{ accountId, id }],
  )
  const agents = await readAgentsForRuns(reads, linked)
  const schemas = new Map(agents.map(({ id, outputSchema }) => [id, outputSchema]))
  return tools.map(({ output_schema: own, agent_id: agentId, ...tool }) => {
    const text = own ?? schemas.get(agentId ?? '') ?? 'null'
    return { ...tool, output_schema: JSON.parse(text) as WorkflowTool['output_schema'] }
  })
}
