import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import Type from 'typebox'
import type { Services } from '../context.ts'
import { cannot, type DomainError } from '../errors.ts'
import { ok } from '../http/answer-shapes.ts'
import { readError, statusOf } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import type { TokenLookup } from '../oauth-server/identify-token.ts'
import type { Scope } from '../oauth-server/scopes.ts'
import { authorize, scopeOfTool } from './authorize.ts'
import type { Call } from './call.ts'
import type { CallInfo } from './serve.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the caller may do; only at `/mcp`. */
    scopes: ReadonlySet<Scope> | undefined
  }
}

interface Options {
  services: Services
  /** Origins whose pages may send requests besides the service's own. */
  corsOrigins: readonly string[]
  lookUpToken: TokenLookup
}

const action = 'call MCP server'
const path = '/mcp'
/** The scopes that a client is told to ask for at first. */
const usualScope = 'run read'

/**
 * The MCP server at `/mcp`. A request passes what every operation passes: limits, authentication, the body's limit and
 * checks. It is no operation of the API document, because MCP describes it.
 */
export function addMcpServer(
  app: FastifyInstance,
  { services, corsOrigins, lookUpToken }: Options,
): void {
  // Loaded with the first request, because many services have no MCP clients.
  let handler: Promise<McpHttpHandler> | undefined
  const open = (): Promise<McpHttpHandler> =>
    (handler ??= import('./serve.ts').then(({ createHandler }) => createHandler(services.log)))
  app.addHook('onClose', async () => (await handler)?.close())
  app.decorateRequest('scopes')
  app.post(path, {
    schema: { hide: true },
    config: {
      operation: one,
      identify: async (request) => {
        refuseOrigin(request, services.publicUrl, corsOrigins)
        const { principal, scopes } = await authorize(app.authenticator, request, lookUpToken)
        request.scopes = scopes
        return principal
      },
    },
    errorHandler: (error, request, reply) => sendError(error, request, reply, services.publicUrl),
    handler: async (request, reply) => serve(await open(), request, reply, services.publicUrl),
  })
}

const one = operation({
  id: 'mcp',
  route: `POST ${path}`,
  role: 'viewer',
  readOnly: true,
  action,
  summary: 'Call the MCP server',
  body: Type.Unknown(),
  answer: ok(Type.Unknown(), 'A JSON-RPC response.'),
  verb: () => undefined,
})

/** Pages of other origins are refused, as the protocol demands. */
function refuseOrigin(
  { headers: { origin } }: FastifyRequest,
  publicUrl: string,
  corsOrigins: readonly string[],
): void {
  if (origin === undefined || corsOrigins.includes(origin)) return
  if (URL.parse(publicUrl)?.origin === origin) return
  const why = `pages of ${origin.slice(0, 200)} may not call it (MUSTER_CORS_ORIGINS)`
  throw cannot({ action }, 'cross_origin', why)
}

async function serve(
  handler: McpHttpHandler,
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
): Promise<FastifyReply> {
  const { body } = request
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw cannot({ action }, 'invalid_request', 'expected one JSON-RPC message as the body')
  }
  const { method, params } = body as { method?: unknown; params?: { name?: unknown } }
  const scopes = request.scopes ?? new Set<Scope>()
  const needed = scopeOf(method, params?.name)
  if (!scopes.has(needed)) throw lacks(reply, { scopes, needed }, publicUrl)
  let signal: AbortSignal | undefined
  const hold = () => (signal ??= request.server.held.hold(request, reply))
  const call: Call = { request, reply, scopes, hold }
  const extra: CallInfo = { call, method }
  const asked = new Request(new URL(request.url, publicUrl), {
    method: 'POST',
    headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
    ...(isHeld(method) && { signal: hold() }),
  })
  const response = await handler.fetch(asked, {
    parsedBody: body,
    authInfo: { token: '', clientId: request.ctx.actor.id, scopes: [...scopes], extra },
  })
  reply.status(response.status)
  for (const [name, value] of response.headers) {
    if (name !== 'connection') reply.header(name, value)
  }
  if (response.body === null) return reply.send()
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    return reply.send(await response.text())
  }
  return reply.send(Readable.fromWeb(response.body))
}

/** Methods whose response may take long: they end with their client. */
function isHeld(method: unknown): boolean {
  return method === 'tools/call' || method === 'subscriptions/listen'
}

function scopeOf(method: unknown, name: unknown): Scope {
  if (method === 'tools/call') return scopeOfTool(String(name))
  return method === 'tasks/cancel' ? 'run' : 'read'
}

/** Names the scope that is missing, with those that the client has, so that it asks for all of them. */
function lacks(
  reply: FastifyReply,
  { scopes, needed }: { scopes: ReadonlySet<Scope>; needed: Scope },
  publicUrl: string,
): DomainError {
  const all = [...scopes, needed].join(' ')
  challenge(reply, publicUrl, `error="insufficient_scope", scope="${all}"`)
  const why = `it needs the scope ${needed}, the caller has ${[...scopes].join(', ') || 'none'}`
  return cannot({ action }, 'insufficient_scope', why)
}

function challenge(reply: FastifyReply, publicUrl: string, facts: string): void {
  const metadata = new URL(`/.well-known/oauth-protected-resource${path}`, publicUrl)
  reply.header('www-authenticate', `Bearer resource_metadata="${metadata.href}", ${facts}`)
}

const parseError = -32_700
const invalidRequest = -32_600
const internalError = -32_603
const serverError = -32_000

/** The error as a JSON-RPC response, with the status that the API would answer with. */
function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
): FastifyReply {
  const known = readError(error, request)
  const { type, code, param, message, retryAfterSeconds: seconds } = known
  if (type === 'unauthenticated') challenge(reply, publicUrl, `scope="${usualScope}"`)
  if (seconds !== undefined) reply.header('retry-after', seconds)
  const data = { type, code, ...(param !== undefined && { param }), request_id: request.id }
  const id = (request.body as { id?: unknown } | null | undefined)?.id
  return reply.status(statusOf(known)).send({
    jsonrpc: '2.0',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    error: { code: rpcCodeOf(known), message, data },
  })
}

function rpcCodeOf({ type, code }: DomainError): number {
  if (code === 'invalid_json' || code === 'invalid_characters') return parseError
  if (type === 'invalid_request') return invalidRequest
  return type === 'internal' ? internalError : serverError
}
