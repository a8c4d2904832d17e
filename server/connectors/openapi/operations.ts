import { cannot } from '../../errors.ts'
import type { Context } from '../../context.ts'
import { TaskEnded } from '../../sandbox/thread.ts'
import { defineTask } from '../../sandbox/sandbox.ts'
import { maxMcpTools, type ToolPick } from '../mcp/pins.ts'
import type { HttpConnection } from '../http/connection.ts'
import type { HttpTool } from '../http/pinned.ts'
import { maxDocumentBytes } from './fetch-document.ts'
import type * as tasks from './read-document.ts'
import type { TakenNames } from './arguments.ts'
import type { DocumentToRead, ReadDocument } from './read-document.ts'
import type { ReadOperation } from './read-operation.ts'

/** The operations of a document, read in a thread, since a stranger wrote it. */
const readInThread = defineTask<typeof tasks.readDocument>({
  line: 'long',
  from: import.meta.url,
  file: './read-document',
  name: 'readDocument',
  maxMs: 30_000,
  maxMb: 768,
})

export type ReadApi = Extract<ReadDocument, { kind: 'read' }>
type Caller = Pick<Context, 'accountId' | 'sandbox' | 'action' | 'limits'>

/** Throws a `connector_refused` with the reason in words. */
export async function readApi(
  ctx: Caller,
  text: string,
  pick: ToolPick | undefined,
  login: Pick<HttpConnection, 'auth' | 'headers'>,
): Promise<ReadApi> {
  return read(ctx, { text, pick: pick ?? {}, taken: namesOf(login) })
}

/** The title and the server of a document alone. */
export function readHead(ctx: Caller, text: string): Promise<ReadApi> {
  return read(ctx, { text })
}

/** Parameters that the login sets, so that agents are not asked for them. */
function namesOf({ auth, headers }: Pick<HttpConnection, 'auth' | 'headers'>): TakenNames {
  const names = [...Object.keys(headers), ...(auth.type === 'header' ? [auth.name] : [])]
  return {
    headers: names.map((name) => name.toLowerCase()),
    query: auth.type === 'query' ? [auth.name] : [],
  }
}

async function read(ctx: Caller, document: DocumentToRead): Promise<ReadApi> {
  const { text } = document
  const refused = (why: string): Error =>
    cannot(ctx, 'connector_refused', `the document cannot be used: ${why}`, { param: 'document' })
  const bytes = Buffer.byteLength(text)
  if (bytes > maxDocumentBytes) {
    throw refused(`it has ${bytes} bytes, at most ${maxDocumentBytes} (5 MB)`)
  }
  using _slot = await ctx.limits.apiDocuments.take(ctx.accountId, ctx.action)
  const found = await readInThread(ctx, document).catch((error: unknown) => {
    if (error instanceof TaskEnded) throw refused(error.message)
    throw error
  })
  if (found.kind === 'refused') throw refused(found.why)
  return found
}

/** The operations as they are stored. Throws for names that the document does not have, and for too many. */
export function pinOperations(
  ctx: Pick<Context, 'action'>,
  api: ReadApi,
  { pick, safe = [] }: { pick: ToolPick | undefined; safe: string[] | undefined },
): { tools: HttpTool[]; safe_tools: string[] } {
  if (api.unknown !== undefined) {
    const field = pick?.only === undefined ? 'except' : 'only'
    throw unknownName(ctx, `operations.${field}`, api.unknown)
  }
  const tools = toTools(api)
  const usable = tools.filter(({ request }) => request !== undefined).length
  if (usable > maxMcpTools) {
    const why = `${usable} operations would be offered, at most ${maxMcpTools} are, pick some by operations.only or operations.except`
    throw cannot(ctx, 'connector_refused', why, { param: 'operations' })
  }
  const byName = new Map(api.operations.map((one) => [one.name, one]))
  for (const [index, name] of safe.entries()) {
    if (byName.has(name)) continue
    const nearest = [...byName.keys()].filter((one) => one.startsWith(name.slice(0, 3))).slice(0, 3)
    throw unknownName(ctx, `safe[${index}]`, { name, nearest })
  }
  const isRead = ({ method }: ReadOperation): boolean => method === 'GET' || method === 'HEAD'
  const named = new Set(safe)
  const safeTools = api.operations.filter((one) => isRead(one) || named.has(one.name))
  return { tools, safe_tools: [...new Set(safeTools.map(({ action }) => action))] }
}

function unknownName(
  ctx: Pick<Context, 'action'>,
  param: string,
  { name, nearest }: { name: string; nearest: string[] },
): Error {
  const near = nearest.length === 0 ? '' : `, nearest are ${nearest.join(', ')}`
  const why = `${param} names ${name.slice(0, 100)}, no operation of the document${near}`
  return cannot(ctx, 'invalid_value', why, { param })
}

const shortDescription = 200

export function toTools({ operations }: ReadApi): HttpTool[] {
  return operations.map(toTool)
}

function toTool(one: ReadOperation): HttpTool {
  const { name, action, method, path, description, isPicked, reason, offer, hash } = one
  const common = {
    name: action,
    operation: { name, method, path },
    ...(reason !== undefined && { refused: reason }),
  }
  if (!isPicked || offer === undefined) {
    return {
      ...common,
      description: description.slice(0, shortDescription).toWellFormed(),
      input_schema: { type: 'object' },
      hash: '',
      ...(!isPicked && { unpicked: true as const }),
    }
  }
  const { input_schema: schema, request } = offer
  return { ...common, description, input_schema: schema, request, hash }
}
