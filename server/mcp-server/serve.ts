import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type McpHttpHandler,
  type McpRequestContext,
  type ServerOptions,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { readError } from '../http/errors.ts'
import { version } from '../version.ts'
import { callTool } from './call-tool.ts'
import type { Call } from './call.ts'
import { listTools, type ToolLists } from './list-tools.ts'
import { SharedReads } from './shared-reads.ts'
import { cancelTask, getTask, tasksExtension, updateTask } from './tasks.ts'

/**
 * The MCP server of an account, over Streamable HTTP and without sessions: each request is served by an instance of its
 * own, so any process answers it. The package speaks the protocols 2026-07-28 and, for clients that begin with
 * `initialize`, 2025-11-25 and 2025-06-18. `route.ts` authenticates and bounds the requests before.
 */
export function createHandler(log: Logger): McpHttpHandler {
  const lists: ToolLists = new SharedReads()
  return createMcpHandler((context) => createServer(context, lists), {
    // The slots of the account bound streams.
    maxSubscriptions: Number.MAX_SAFE_INTEGER,
    onerror: (error) => log.debug({ err: error }, 'a request of an MCP client was refused'),
  })
}

/** Where the package passes the request on to its server. */
export interface CallInfo extends Record<string, unknown> {
  call: Call
  method: unknown
}

const instructions =
  'The tools run workflows of agents, which may take minutes and may wait for a person. A call answers with the output, ' +
  'or with the run_id of a run that goes on: call run_wait with it. If a run waits for a person, give the link to the ' +
  'person.'

const options: ServerOptions = {
  instructions,
  supportedProtocolVersions: ['2025-11-25', '2025-06-18'],
  // Nothing is elicited from clients, so nothing is validated.
  jsonSchemaValidator: {
    getValidator: () => {
      throw new Error('The MCP server elicits nothing')
    },
  },
}

function createServer({ era, authInfo }: McpRequestContext, lists: ToolLists): Server {
  if (authInfo?.extra === undefined) throw new Error('The request has no caller')
  const { call, method } = authInfo.extra as CallInfo
  const extensions = era === 'modern' ? { extensions: { [tasksExtension]: {} } } : {}
  const server = new Server(
    { name: 'muster', title: 'Muster', version },
    { ...options, capabilities: { tools: {}, ...extensions } },
  )
  const shown = <Answer>(work: Promise<Answer>): Promise<Answer> => showErrors(call, work)
  server.setRequestHandler('tools/list', ({ params }) =>
    shown(listTools(call, lists, params?.cursor)),
  )
  // The package would refuse a task as the result of a call, if the method had a handler of its own.
  if (method === 'tools/call') {
    server.fallbackRequestHandler = (request, mcp) => callTool(call, request, mcp)
  }
  if (era === 'modern') {
    for (const [name, verb] of Object.entries(tasks)) {
      server.setRequestHandler(name, { params: taskParams }, ({ taskId }, mcp) =>
        shown(verb(call, taskId, mcp)),
      )
    }
  }
  return server
}

const tasks = { 'tasks/get': getTask, 'tasks/update': updateTask, 'tasks/cancel': cancelTask }

/** The package sends the message of any error, so only those that callers may read reach it. */
async function showErrors<Answer>({ request }: Call, work: Promise<Answer>): Promise<Answer> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    const { type, message } = readError(error, request)
    const { InvalidParams, InternalError } = ProtocolErrorCode
    const isTheirs = type === 'invalid_request' || type === 'not_found'
    throw new ProtocolError(isTheirs ? InvalidParams : InternalError, message)
  }
}

/** The parameters that the methods of tasks have in common, in the form that the package takes. */
const taskParams: StandardSchemaV1<unknown, { taskId: string }> = {
  '~standard': {
    version: 1,
    vendor: 'muster',
    validate: (params: unknown) => {
      const { taskId } = (params ?? {}) as { taskId?: unknown }
      return typeof taskId === 'string'
        ? { value: { taskId } }
        : { issues: [{ message: 'taskId is missing', path: ['taskId'] }] }
    },
  },
}
