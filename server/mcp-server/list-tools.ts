import type { ListToolsResult, Tool } from '@modelcontextprotocol/server'
import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import { listWorkflowTools, type BuiltInTool, type WorkflowTool } from '../workflows/exposure.ts'
import { handleSchema } from './answers.ts'
import { contextOf, type Call } from './call.ts'
import { withoutHeaders, within } from './move-schema.ts'
import type { SharedReads } from './shared-reads.ts'

/** The tools of an account: those about runs and the inbox, then its active workflows by name, page by page. */

const pageSize = 50
export const mostWaitSeconds = 45
export const usualWaitSeconds = 20

type Schema = Tool['inputSchema']

/** Lists of this process that are being read; many clients of an account often list its tools at once. */
export type ToolLists = SharedReads<ListToolsResult>

export async function listTools(
  call: Call,
  lists: ToolLists,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  const ctx = contextOf(call, 'list tools')
  call.request.server.large.check(ctx.accountId, ctx.action)
  const after = cursor === undefined ? '' : readCursor(ctx, cursor)
  return lists.read(`${ctx.accountId} ${after}`, () => readPage(ctx, after))
}

async function readPage(
  ctx: Pick<Context, 'reads' | 'accountId'>,
  after: string,
): Promise<ListToolsResult> {
  const found = await listWorkflowTools(ctx, { after, limit: pageSize + 1 })
  const shown = found.slice(0, pageSize)
  const last = found.length > pageSize ? shown.at(-1)?.expose_mcp.name : undefined
  return {
    tools: [...(after === '' ? builtIns : []), ...shown.map(toTool)],
    ...(last !== undefined && { nextCursor: Buffer.from(last).toString('base64url') }),
  }
}

function readCursor(ctx: { action: string }, cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString()
  if (/^[\w-]{1,64}$/.test(name)) return name
  throw cannot(ctx, 'invalid_cursor', 'cursor is not one that a page of this list ended with')
}

const waitSeconds = {
  type: 'integer',
  minimum: 0,
  maximum: mostWaitSeconds,
  default: usualWaitSeconds,
  description: 'Answer after this many seconds even if the run goes on.',
}

const thread = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description:
    'Name of a conversation: calls with the same name go on with it. Leave it out for a single question.',
}

function toTool({
  name: workflow,
  description,
  expose_mcp: { name, description: words },
  input_schema: input,
  output_schema: output,
  may_act: mayAct,
  takes_threads: takesThreads,
}: WorkflowTool): Tool {
  const own = { wait_seconds: waitSeconds, ...(takesThreads && { thread }) }
  return {
    name,
    title: workflow,
    description: words ?? description ?? `Runs the workflow ${workflow}.`,
    inputSchema: input === null ? toPlainInput(own) : toInputSchema(input, own),
    ...(output !== null && { outputSchema: toOutputSchema(output) }),
    // Each call starts a run, which costs money.
    annotations: {
      readOnlyHint: false,
      destructiveHint: mayAct,
      idempotentHint: false,
      openWorldHint: mayAct,
    },
  }
}

type Properties = NonNullable<Schema['properties']>

function toPlainInput(own: Properties): Schema {
  const input = { type: 'string', description: 'The task or text that the workflow works on.' }
  return {
    type: 'object',
    properties: { input, ...own },
    required: ['input'],
    additionalProperties: false,
  }
}

function toInputSchema(schema: Record<string, unknown>, own: Properties): Schema {
  const { properties, ...rest } = withoutHeaders(schema) as Record<string, unknown>
  return { ...rest, type: 'object', properties: { ...(properties as Properties), ...own } }
}

function toOutputSchema({ $schema: dialect, ...schema }: Record<string, unknown>): Schema {
  return {
    ...(typeof dialect === 'string' && { $schema: dialect }),
    type: 'object',
    anyOf: [within(schema, '#/anyOf/0') as object, handleSchema],
  }
}

const runId = { type: 'string', description: 'A run_id that a tool has answered with.' }
const reads = { readOnlyHint: true, openWorldHint: false }

function builtIn(
  name: BuiltInTool,
  tool: Omit<Tool, 'name' | 'inputSchema'>,
  properties: Schema['properties'] = {},
  required: string[] = [],
): Tool {
  return {
    name,
    ...tool,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
  }
}

const builtIns: Tool[] = [
  builtIn(
    'run_status',
    {
      title: 'Read run',
      description:
        'The output of a run that has ended; otherwise its status, and what it waits for.',
      annotations: reads,
    },
    { run_id: runId },
    ['run_id'],
  ),
  builtIn(
    'run_wait',
    {
      title: 'Wait for run',
      description:
        'Waits until a run has ended or needs a person, then answers as run_status does.',
      annotations: reads,
    },
    { run_id: runId, wait_seconds: waitSeconds },
    ['run_id'],
  ),
  builtIn(
    'run_cancel',
    {
      title: 'Cancel run',
      description: 'Ends a run that is not finished.',
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    { run_id: runId },
    ['run_id'],
  ),
  builtIn('inbox_list', {
    title: 'List inbox',
    description: 'The questions and approvals that wait for a person, oldest first.',
    annotations: reads,
  }),
  builtIn(
    'inbox_answer',
    {
      title: 'Answer in inbox',
      description:
        'Answers a question, or decides an approval. Decide an approval only if the person has seen the request and ' +
        'told you the decision.',
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    {
      pending_id: { type: 'string', description: 'The pending_id of inbox_list or of a run.' },
      action: {
        type: 'string',
        enum: ['input', 'approve', 'reject'],
        description: 'input answers a question; approve and reject decide an approval.',
      },
      input: { type: 'string', description: 'The answer; with the action input only.' },
      reason: { type: 'string', description: 'Why; stored with the decision.' },
    },
    ['pending_id', 'action'],
  ),
]
