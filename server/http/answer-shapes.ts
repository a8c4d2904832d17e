import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import type { Call } from './operation.ts'
import {
  sendPage,
  sendPart,
  sendTextPage,
  toPageRequest,
  toTextPageRequest,
  type Page,
  type PageRequest,
  type TextPage,
  type TextPageRequest,
} from './pagination.ts'
import { Deleted, Failures, refTo } from '../wire-types.ts'

/**
 * How an operation answers on success: its status, its schema, and how the verb's result becomes
 * `{data: …}`.
 */
export interface Answer<Result, Paging = undefined> {
  status: number
  /** Schemas by status, including those of errors. */
  response: Record<string, unknown>
  /** The operation takes `limit` and `after`. */
  isPaged: boolean
  /** Reads `limit` and `after`, in the form of this kind of list. */
  toPage: (request: FastifyRequest) => Paging
  /** If the verb returns nothing, it has sent the response itself, such as a stream. */
  isSentByVerb: boolean
  toData: (result: Result, call: Call) => unknown
  /** Other formats of the data, by media type. */
  formats?: Record<string, (data: never, call: Call) => string>
}

export function ok<T extends TSchema>(schema: T, description: string): Answer<Static<T>> {
  return answerWith(200, schema, description)
}

export function created<T extends TSchema>(schema: T, description: string): Answer<Static<T>> {
  return answerWith(201, schema, description)
}

/** For a resource that may exist already: then the status is 200. */
export function createdOrFound<T extends TSchema>(
  schema: T,
  description: string,
): Answer<{ item: Static<T>; isNew: boolean }> {
  const shape = answerWith(201, schema, description)
  const { 201: body } = shape.response
  return {
    ...shape,
    response: { 200: body, ...shape.response },
    toData: ({ item, isNew }, { reply }) => {
      if (!isNew) reply.status(200)
      return item
    },
  }
}

/** For work that is stored now and done later. */
export function accepted<T extends TSchema>(schema: T, description: string): Answer<Static<T>> {
  return answerWith(202, schema, description)
}

/** A page, with the next one in the `Link` header. */
export function list<T extends TSchema>(
  item: T,
  description: string,
): Answer<Page<Static<T>>, PageRequest> {
  return paged(item, description, toPageRequest, sendPage)
}

/** A page of a list that is in memory; the whole list if no limit is given. */
export function listInMemory<T extends TSchema>(
  item: T,
  description: string,
): Answer<(Static<T> & { id: string })[]> {
  return paged(item, description, () => undefined, sendPart)
}

/** A page of a list that is sorted by a text. */
export function listByText<T extends TSchema>(
  item: T,
  description: string,
): Answer<TextPage<Static<T>>, TextPageRequest> {
  return paged(item, description, toTextPageRequest, sendTextPage)
}

function paged<Result, Paging>(
  item: TSchema,
  description: string,
  toPage: (request: FastifyRequest) => Paging,
  send: (request: FastifyRequest, reply: FastifyReply, result: Result) => unknown[],
): Answer<Result, Paging> {
  return {
    ...answerWith(200, Type.Array(refTo(item)), description),
    isPaged: true,
    toPage,
    toData: (result, { request, reply }) => send(request, reply, result),
  }
}

/** A list that clients can request in other formats, by `Accept`. */
export function inFormats<Result extends { items: unknown[] }, Paging>(
  answer: Answer<Result, Paging>,
  formats: Record<string, (items: Result['items'], call: Call) => string>,
): Answer<Result, Paging> {
  return { ...answer, formats, response: withTypes(answer, Object.keys(formats)) }
}

/** The verb may send the list itself, as a stream of one of these types. */
export function maySendAs<Result, Paging>(
  answer: Answer<Result, Paging>,
  types: string[],
): Answer<Result | undefined, Paging> {
  return maySend({ ...answer, response: withTypes(answer, types) })
}

function withTypes(
  { status, response }: Pick<Answer<never>, 'status' | 'response'>,
  types: string[],
): Record<string, unknown> {
  const { [status]: schema, ...failures } = response
  const text = { schema: Type.String() }
  const content = {
    'application/json': { schema },
    ...Object.fromEntries(types.map((type) => [type, text])),
  }
  const { description } = schema as { description: string }
  return { [status]: { description, content }, ...failures }
}

/** The first supported type of `Accept`; undefined for JSON. */
export function acceptedType<Type extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  types: readonly Type[],
): Type | undefined {
  reply.header('vary', 'accept')
  const accepted = (request.headers.accept ?? '')
    .split(',')
    .map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '')
  const known: readonly string[] = ['application/json', ...types]
  const wanted = accepted.find((type) => known.includes(type))
  return types.find((type) => type === wanted)
}

/** The id is the last parameter of the path. */
export function deleted(description: string): Answer<void> {
  return {
    ...answerWith(200, Deleted, description),
    toData: (_result, { params }) => ({ id: Object.values(params).at(-1), deleted: true }),
  }
}

/** Redirects a browser; the verb sets the location. */
export function redirect(description: string): Answer<void> {
  return sentByVerb(303, Type.Null({ description }))
}

/** The verb may send the response itself. */
export function maySend<Result, Paging>(
  answer: Answer<Result, Paging>,
): Answer<Result | undefined, Paging> {
  return { ...(answer as Answer<Result | undefined, Paging>), isSentByVerb: true }
}

/** Lines of JSON, which the verb streams; it may offer other text types as well. */
export function ndjson(description: string, others: string[] = []): Answer<void> {
  const types = ['application/x-ndjson', ...others].map((type) => [type, { schema: Type.String() }])
  const content = Object.fromEntries(types) as Record<string, unknown>
  return sentByVerb(200, { description, content })
}

/** Bytes of any type, which the verb sends, whole or as a range. */
export function binary(description: string): Answer<void> {
  const content = { '*/*': { schema: { type: 'string', format: 'binary' } } }
  const bytes = { description, content }
  const { response, ...answer } = sentByVerb(200, bytes)
  return { ...answer, response: { 206: bytes, ...response } }
}

/** Server-sent events, which the verb sends. */
export function eventStream(event: TSchema, description: string): Answer<void> {
  const content = { 'text/event-stream': { schema: refTo(event) } }
  return sentByVerb(200, { description, content })
}

function sentByVerb(status: number, response: object): Answer<void> {
  return {
    status,
    response: { [status]: response, ...Failures },
    isPaged: false,
    toPage: () => undefined,
    isSentByVerb: true,
    toData: () => undefined,
  }
}

function answerWith<Result>(status: number, schema: TSchema, description: string): Answer<Result> {
  const body = Type.Object({ data: refTo(schema) }, { description })
  return {
    status,
    response: { [status]: body, ...Failures },
    isPaged: false,
    toPage: () => undefined,
    isSentByVerb: false,
    toData: (result) => result,
  }
}
