import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteShorthandOptions,
  preValidationAsyncHookHandler,
} from 'fastify'
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { AuditWord } from '../audit/words.ts'
import type { Context, Services } from '../context.ts'
import type { IdPrefix } from '../ids.ts'
import type { NeededRole } from '../identity.ts'
import type { Answer } from './answer-shapes.ts'

/**
 * The definition of an operation. Its route, required role, audit, validation, OpenAPI document,
 * error messages ("Cannot <action>") and the tests of all operations are derived from it. A
 * resource lists its operations as a `Resource` in its `routes.ts`; `addResource`
 * (`resource-routes.ts`) creates the routes, and startup fails for an operation without a
 * permission or a mutation without an audit action.
 */
export interface Definition<
  Route extends string,
  Query extends TProperties,
  Body extends TSchema,
  Headers extends TProperties,
  Result,
  Creates extends IdPrefix | undefined,
  Paging,
> {
  /** `operationId` in the OpenAPI document, and the SDK's method. */
  id: string
  /** Method and path, such as `GET /v1/agents/:id`. */
  route: Route
  /** The lowest role that may call it. */
  role: NeededRole
  /** Also allowed for keys with the role `worker`, which is apart from the other roles. */
  forWorkers?: true
  /** Its action in the audit log; every mutation has one. */
  audit?: AuditWord
  /** Changes nothing that the audit log is about although its method is not GET. */
  readOnly?: true
  /** Allowed for suspended accounts, so that people can leave them or switch to another. */
  whileSuspended?: true
  /** Completes "Cannot …" in messages. */
  action: string
  summary: string
  description?: string
  query?: Query
  /** Other services call the address and may add query parameters: unknown ones are ignored. */
  hasForeignQuery?: true
  headers?: Headers
  body?: Body
  /** `application/json` by default; the resource's `setUp` reads others. */
  bodyType?: string
  answer: Answer<Result, Paging>
  /** The response may have megabytes: refused to an account that has recently had too many. */
  large?: true
  /**
   * Sends an `ETag`: for `version`, made of the response's field of this name; for `content`, by the
   * verb. Reads with one answer `If-None-Match`.
   */
  etag?: 'version' | 'content'
  /** The response has a secret, so it is encrypted when it is stored under an Idempotency-Key. */
  answersSecret?: true
  /** Kind of the resource that it creates; a repeated request gets the same id. */
  creates?: Creates
  /**
   * For a PATCH: the stored resource as the API shows it; by default from the GET of the same path.
   */
  stored?: (call: Call<ParamName<Route>>) => Promise<object>
  /** Fastify options that differ for this route. */
  routeOptions?: Pick<RouteShorthandOptions, 'validatorCompiler' | 'errorHandler' | 'bodyLimit'> & {
    preValidation?: preValidationAsyncHookHandler
  }
  /**
   * Fields for the columns of lists and overviews; `crew.role as crew` is a nested field with
   * another label.
   */
  columns?: string[]
  /** What the CLI cannot derive; false if the operation has no generated command. */
  cli?: CommandHints | false
  verb: (
    call: Call<ParamName<Route>, Query, Body, Headers, Creates, Paging>,
  ) => Promise<NoInfer<Result>> | NoInfer<Result>
}

/**
 * How the CLI presents an operation. By default `agents.retrieve` is `agents show`, path parameters
 * are arguments, and fields of the query and the body are options.
 */
export interface CommandHints {
  /**
   * Name, such as `keys revoke`. Operations with the same name differ in the option for their
   * owner.
   */
  command?: string
  /** The first path parameter is an option, such as `--agent`. */
  ownerOption?: true
  /**
   * Fields that are arguments; a trailing `?` marks optional ones. `body` is the whole body, from a
   * file.
   */
  args?: string[]
  /** Names of options, by field. */
  options?: Record<string, string>
  /** Options without a value, and the fields that they set. */
  flags?: Record<string, object>
  /** Additional commands without options that set fields, with their descriptions. */
  verbs?: Record<string, [sets: object, about: string]>
  /** Filters of the form `key=value`. */
  pairs?: string[]
  /** How many items a list shows by default; 1,000 if undefined. */
  limit?: number
}

/** Arguments of a verb. `request` and `reply` are for verbs that send the response themselves. */
export interface Call<
  Param extends string = string,
  Query extends TProperties = TProperties,
  Body extends TSchema = TSchema,
  Headers extends TProperties = TProperties,
  Creates extends IdPrefix | undefined = IdPrefix,
  Paging = unknown,
> {
  /** The caller; public operations only have `services`. */
  ctx: Context
  services: Services
  params: Record<Param, string>
  /** Without `limit` and `after` of a list, which are its `page`. */
  query: Static<TObject<Query>>
  headers: Static<TObject<Headers>>
  body: Static<Body>
  /** `limit` and `after` of a list. */
  page: Paging
  /**
   * Id for the resource that `creates` names; the same for all repeats under one Idempotency-Key.
   */
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

/** An operation after its types were checked. */
export type Operation = Definition<
  string,
  TProperties,
  TSchema,
  TProperties,
  unknown,
  IdPrefix,
  unknown
>

/** The operations of a resource, and what they share. */
export interface Resource {
  tag: string
  /** Description of the tag in the OpenAPI document. */
  about?: string
  /** Descriptions of the ids in paths, by the path segment before them. */
  ids?: Record<string, string>
  /** Schemas; those without an `$id` are ignored. */
  schemas: object
  operations: Operation[]
  /** False: none of the operations has a generated command. */
  cli?: false
  /** Called before the routes are created, in a Fastify plugin of their own. */
  setUp?: (app: FastifyInstance) => void
}

export function operation<
  const Route extends string,
  Result,
  Query extends TProperties = NoProperties,
  Body extends TSchema = TSchema,
  Headers extends TProperties = NoProperties,
  Creates extends IdPrefix | undefined = undefined,
  Paging = undefined,
>(definition: Definition<Route, Query, Body, Headers, Result, Creates, Paging>): Operation {
  return definition as unknown as Operation
}

export function methodOf({ route }: Pick<Operation, 'route'>): string {
  return route.slice(0, route.indexOf(' '))
}

export function pathOf({ route }: Pick<Operation, 'route'>): string {
  return route.slice(route.indexOf(' ') + 1)
}

/** Whether the client's `If-None-Match` is read, and may be answered with 304. */
export function isConditional(one: Pick<Operation, 'route' | 'etag'>): boolean {
  return one.etag !== undefined && methodOf(one) === 'GET'
}

export function isLarge({ large, answer: { isPaged } }: Operation): boolean {
  return isPaged || large === true
}
