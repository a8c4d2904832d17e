import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RouteShorthandOptions,
  preValidationAsyncHookHandler,
} from 'fastify'
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import type { AuditWord } from '../audit-words.ts'
import type { AuditOrigin, Context, Services } from '../context.ts'
import { idFromUuid, newId, type IdPrefix } from '../ids.ts'
import { roles, type NeededRole } from '../roles.ts'
import type { Answer } from './answer.ts'
import { writeList } from './large-answers.ts'
import { toPageRequest, type PageRequest } from './pagination.ts'
import { withoutServerMade } from './read-back.ts'
import { PageQuery, StrictObject, refTo } from './schema.ts'
import { toPayload } from './text-parts.ts'

/**
 * The one definition of an operation. Route, required role, audit, validation, OpenAPI document,
 * messages ("Cannot <action>") and the tests that walk all operations follow from it. A noun lists its
 * operations as a `Resource` in its `routes.ts`; `addResource` makes the routes, and refuses at startup
 * an operation that nobody may call and a mutation that the audit would not see.
 */
export interface Definition<
  Route extends string,
  Query extends TProperties,
  Body extends TSchema,
  Headers extends TProperties,
  Result,
  Creates extends IdPrefix | undefined,
> {
  /** `operationId` of the document; the SDK's method. */
  id: string
  /** Method and path, such as `GET /v1/agents/:id`. */
  route: Route
  /** The least role that may call it. */
  role: NeededRole
  /** What the audit calls it; every mutation has one. */
  audit?: AuditWord
  /** On a method other than GET: changes nothing, so the audit has nothing to tell. */
  readOnly?: true
  /** Also for a suspended account: a person leaves it, or moves to another. */
  whileSuspended?: true
  /** Completes "Cannot …" in messages. */
  action: string
  summary: string
  description?: string
  query?: Query
  /** Somebody else makes the address and may add to its query: what is not named is passed over. */
  hasForeignQuery?: true
  headers?: Headers
  body?: Body
  /** `application/json` by default; the resource's `setUp` reads others. */
  bodyType?: string
  answer: Answer<Result>
  /** The answer may have megabytes, as a page may: refused to an account that has had too many of them. */
  large?: true
  /** The answer holds a secret, so a copy stored under an Idempotency-Key is encrypted. */
  answersSecret?: true
  /** Kind of the one resource that it makes, whose id a repeated request gets again. */
  creates?: Creates
  /** For a PATCH, what is stored, as it is shown; that of the GET of the same path by default. */
  stored?: (call: Call<ParamName<Route>>) => Promise<object>
  /** What Fastify shall do differently for this route. */
  routeOptions?: Pick<RouteShorthandOptions, 'validatorCompiler'> & {
    preValidation?: preValidationAsyncHookHandler
  }
  verb: (
    call: Call<ParamName<Route>, Query, Body, Headers, Creates>,
  ) => Promise<NoInfer<Result>> | NoInfer<Result>
}

/** What a verb is called with; request and reply are for those that answer in another way. */
export interface Call<
  Param extends string = string,
  Query extends TProperties = TProperties,
  Body extends TSchema = TSchema,
  Headers extends TProperties = TProperties,
  Creates extends IdPrefix | undefined = IdPrefix,
> {
  /** Who asks; operations for anyone have `services` alone. */
  ctx: Context
  services: Services
  params: Record<Param, string>
  query: Static<TObject<Query>>
  headers: Static<TObject<Headers>>
  body: Static<Body>
  /** `limit` and `after` of a list. */
  page: PageRequest
  /** Id of what `creates` names: the same for all repeats of a request under one Idempotency-Key. */
  reservedId: Creates extends IdPrefix ? string : never
  request: FastifyRequest
  reply: FastifyReply
}

// eslint-disable-next-line
type NoProperties = Record<never, TSchema>

type ParamName<Route extends string> = Route extends `${infer Start}/:${infer Rest}`
  ?
      | (Rest extends `${infer Name}/${infer End}` ? Name | ParamName<`/${End}`> : Rest)
      | ParamName<Start>
  : never

/** An operation whose types have been checked. */
export type Operation = Definition<string, TProperties, TSchema, TProperties, unknown, IdPrefix>

/** A noun's operations and what they have in common. */
export interface Resource {
  tag: string
  /** What the tag stands for, in the document. */
  about?: string
  /** What an id in a path is, by the part of the path before it. */
  ids?: Record<string, string>
  /** Schemas that have an `$id`, by any name; others are passed over. */
  schemas: object
  operations: Operation[]
  /** Runs before the routes are made, in a plugin of their own. */
  setUp?: (app: FastifyInstance) => void
}

export function operation<
  const Route extends string,
  Result,
  Query extends TProperties = NoProperties,
  Body extends TSchema = TSchema,
  Headers extends TProperties = NoProperties,
  Creates extends IdPrefix | undefined = undefined,
>(definition: Definition<Route, Query, Body, Headers, Result, Creates>): Operation {
  return definition as unknown as Operation
}

export function methodOf({ route }: Pick<Operation, 'route'>): string {
  return route.slice(0, route.indexOf(' '))
}

export function pathOf({ route }: Pick<Operation, 'route'>): string {
  return route.slice(route.indexOf(' ') + 1)
}

export function isLarge({ large, answer: { isPaged } }: Operation): boolean {
  return isPaged || large === true
}

export async function addResource(app: FastifyInstance, resource: Resource): Promise<void> {
  for (const schema of Object.values(resource.schemas) as { $id?: unknown }[]) {
    if (typeof schema?.$id === 'string') app.addSchema(schema)
  }
  await app.register(async (plugin) => {
    resource.setUp?.(plugin)
    for (const one of resource.operations) {
      checkOperation(one)
      plugin.route({
        ...one.routeOptions,
        preValidation: toPreValidation(one, resource),
        method: methodOf(one),
        url: pathOf(one),
        config: { operation: one, documented: { operation: one, resource } },
        schema: toRouteSchema(one, resource),
        handler: (request, reply) => answer(one, request, reply),
      })
    }
  })
}

/** What was read of a resource is taken back as it is. */
function toPreValidation(
  one: Operation,
  { operations }: Resource,
): preValidationAsyncHookHandler[] {
  const own = [one.routeOptions?.preValidation ?? []].flat()
  const schema: { properties?: object } | undefined = one.body
  const settable = schema?.properties
  if (methodOf(one) !== 'PATCH' || settable === undefined) return own
  const reader = operations.find(({ route }) => route === `GET ${pathOf(one)}`)
  const read = one.stored ?? reader?.verb
  if (read === undefined) throw new Error(`Cannot start: nothing reads what ${one.id} changes`)
  const passOver: preValidationAsyncHookHandler = async (request, reply) => {
    const readStored = async (): Promise<unknown> => read(toCall(one, request, reply))
    request.body = await withoutServerMade(request.body, settable, one.action, readStored)
  }
  return [passOver, ...own]
}

function checkOperation(one: Operation): void {
  const fail = (why: string): never => {
    throw new Error(`Cannot start: the operation ${one.id} ${why}`)
  }
  if (one.role !== 'anyone' && one.role !== 'operator' && !roles.includes(one.role))
    fail('has no role')
  const isMutation = methodOf(one) !== 'GET' && one.readOnly !== true
  if (isMutation && one.audit === undefined) fail('changes something and has no audit word')
  if (!isMutation && one.audit !== undefined) fail('changes nothing and has an audit word')
}

function toRouteSchema(one: Operation, { tag, ids = {} }: Resource): FastifySchema {
  const { body, headers, answer } = one
  const params = toParams(pathOf(one), ids)
  const toQuery = one.hasForeignQuery === true ? Type.Object : StrictObject
  return {
    operationId: one.id,
    summary: one.summary,
    ...(one.description === undefined ? {} : { description: one.description }),
    tags: [tag],
    ...(params === undefined ? {} : { params }),
    querystring: toQuery({ ...(answer.isPaged ? PageQuery : {}), ...one.query }),
    ...(one.role === 'anyone' ? { security: [] } : {}),
    ...(headers === undefined ? {} : { headers: Type.Object(headers) }),
    ...(body === undefined ? {} : { body: refTo(body) }),
    ...(one.bodyType === undefined ? {} : { consumes: [one.bodyType] }),
    response: answer.response,
  }
}

function toParams(path: string, ids: Record<string, string>): TSchema | undefined {
  const names = [...path.matchAll(/([\w-]+)\/:(\w+)/g)].map(([, owner = '', name = '']) => {
    const description = ids[owner]
    if (description === undefined)
      throw new Error(`Cannot start: the id of ${path} is not described`)
    return [name, Type.String({ description, maxLength: 100 })] as const
  })
  return names.length === 0 ? undefined : Type.Object(Object.fromEntries(names))
}

async function answer(
  one: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const call = toCall(one, request, reply)
  const { status, toData, formats, isPaged, isSentByVerb } = one.answer
  if (isPaged) return request.server.large.make(request, make)
  return make()

  async function make(): Promise<unknown> {
    const result = await one.verb(call)
    if (isSentByVerb && result === undefined) return reply
    reply.status(status)
    const data = toData(result, call)
    if (formats !== undefined) return sendIn(formats, data, call)
    if (!isPaged) return { data }
    reply.type('application/json; charset=utf-8')
    return toPayload(reply, await writeList(reply, data as unknown[]))
  }
}

/** In the first form of `Accept` that is known; JSON otherwise. */
function sendIn(
  formats: NonNullable<Answer<unknown>['formats']>,
  data: unknown,
  call: Call,
): unknown {
  const { request, reply } = call
  reply.header('vary', 'accept')
  const accepted = (request.headers.accept ?? '')
    .split(',')
    .map((part) => part.split(';')[0]?.trim() ?? '')
  const wanted = accepted.find((type) => type === 'application/json' || type in formats)
  const toText = wanted === undefined ? undefined : formats[wanted]
  if (toText === undefined) return { data }
  reply.type(`${wanted}; charset=utf-8`)
  return toText(data as never, call)
}

function toCall(one: Operation, request: FastifyRequest, reply: FastifyReply): Call {
  return {
    ctx:
      one.role === 'anyone'
        ? (undefined as never)
        : Object.assign(request.ctx, { action: one.action, audit: toAuditOrigin(one, request) }),
    services: request.services,
    params: request.params as Call['params'],
    query: request.query as Call['query'],
    headers: request.headers as Call['headers'],
    body: request.body,
    get page() {
      return toPageRequest(request)
    },
    reservedId: one.creates === undefined ? '' : reserveId(one.creates, request),
    request,
    reply,
  }
}

function toAuditOrigin(one: Operation, request: FastifyRequest): AuditOrigin {
  return {
    id: reserveId('aud', request),
    actor: request.ctx.actor,
    // What only reads has none, and leaves no row.
    action: one.audit as AuditWord,
    address: request.ip,
    requestId: request.id,
  }
}

function reserveId(prefix: IdPrefix, { idempotent }: FastifyRequest): string {
  return idempotent === null ? newId(prefix) : idFromUuid(prefix, idempotent.reserved)
}
