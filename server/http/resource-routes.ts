import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  preValidationAsyncHookHandler,
} from 'fastify'
import type { AuditWord } from '../audit/words.ts'
import type { AuditOrigin } from '../context.ts'
import { idFromUuid, newId, type IdPrefix } from '../ids.ts'
import { roles } from '../identity.ts'
import { acceptedType, type Answer } from './answer-shapes.ts'
import { tagBody, versionTag } from './entity-tags.ts'
import { writeList } from './traffic/large-answers.ts'
import {
  isConditional,
  methodOf,
  pathOf,
  type Call,
  type Operation,
  type Resource,
} from './operation.ts'
import { splitQuery } from './pagination.ts'
import { PageQuery, StrictObject, refTo } from '../wire-types.ts'
import { toPayload } from './traffic/text-parts.ts'
import { isDeepStrictEqual } from 'node:util'
import { DomainError } from '../errors.ts'

import Type, { type TSchema } from 'typebox'

/** Creates routes, checks and responses from the definitions of operations. */
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
        ...(one.etag === 'version' && isConditional(one) ? { onSend: tagBody } : {}),
        method: methodOf(one),
        url: pathOf(one),
        config: { operation: one, documented: { operation: one, resource } },
        schema: toRouteSchema(one, resource),
        handler: (request, reply) => answer(one, request, reply),
      })
    }
  })
}

/** Lets a PATCH accept read-only fields with their current value. */
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
  const { body, answer } = one
  const headers = { ...one.headers, ...(isConditional(one) ? ifNoneMatch : {}) }
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
    ...(Object.keys(headers).length === 0 ? {} : { headers: Type.Object(headers) }),
    ...(body === undefined ? {} : { body: refTo(body) }),
    ...(one.bodyType === undefined ? {} : { consumes: [one.bodyType] }),
    response: answer.response,
  }
}

const ifNoneMatch = {
  'if-none-match': Type.Optional(
    Type.String({
      maxLength: 4000,
      description:
        'The `ETag` of the response that you have: answered with 304 if nothing has changed.',
    }),
  ),
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
    if (one.etag === 'version') reply.header('etag', versionTag(data as { version: number }))
    if (formats !== undefined) return sendIn(formats, data, call)
    if (!isPaged) return { data }
    reply.type('application/json; charset=utf-8')
    return toPayload(reply, await writeList(reply, data as unknown[]))
  }
}

/** Sends the data in the first supported format of `Accept`, or as JSON. */
function sendIn(
  formats: NonNullable<Answer<unknown>['formats']>,
  data: unknown,
  call: Call,
): unknown {
  const { request, reply } = call
  const wanted = acceptedType(request, reply, Object.keys(formats))
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
    query: (one.answer.isPaged ? splitQuery(request).filters : request.query) as Call['query'],
    headers: request.headers as Call['headers'],
    body: request.body,
    get page() {
      return one.answer.toPage(request)
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
    // Read-only operations have no action, and leave no audit entry.
    action: one.audit as AuditWord,
    address: request.ip,
    requestId: request.id,
  }
}

function reserveId(prefix: IdPrefix, { idempotent }: FastifyRequest): string {
  return idempotent === null ? newId(prefix) : idFromUuid(prefix, idempotent.reserved)
}

/**
 * Lets clients send a resource back as they read it: a PATCH ignores read-only fields with their
 * current value, and rejects other values. Returns the body without them.
 */
async function withoutServerMade(
  body: unknown,
  settable: object,
  action: string,
  readStored: () => Promise<unknown>,
): Promise<unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const others = Object.keys(body).filter((name) => !Object.hasOwn(settable, name))
  if (others.length === 0) return body
  // In its wire format.
  const stored = JSON.parse(JSON.stringify(await readStored())) as Record<string, unknown>
  const rest: Record<string, unknown> = { ...body }
  for (const name of others) {
    if (!Object.hasOwn(stored, name)) continue
    if (!isDeepStrictEqual(rest[name], stored[name])) throw isServerMade(action, name, stored[name])
    delete rest[name]
  }
  return rest
}

function isServerMade(action: string, name: string, stored: unknown): DomainError {
  const value = JSON.stringify(stored)
  const shown = value.length > 80 ? `${value.slice(0, 79)}…` : value
  const why = `${name} is made by the server and cannot be changed, it is ${shown}`
  return new DomainError('unknown_field', `Cannot ${action}: ${why}`, { param: name })
}
