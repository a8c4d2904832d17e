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
import type { NeededRole } from '../roles.ts'
import type { Answer } from './answer.ts'
import type { PageRequest } from './pagination.ts'

/**
 * The one definition of an operation. Route, required role, audit, validation, OpenAPI document,
 * messages ("Cannot <action>") and the tests that walk all operations follow from it. A noun lists its
 * operations as a `Resource` in its `routes.ts`; `addResource` (`resource-routes.ts`) makes the routes, and refuses at startup
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
  /** The answer is of a resource with versions: its `version` is the `ETag`. */
  hasEtag?: true
  /** The answer holds a secret, so a copy stored under an Idempotency-Key is encrypted. */
  answersSecret?: true
  /** Kind of the one resource that it makes, whose id a repeated request gets again. */
  creates?: Creates
  /** For a PATCH, what is stored, as it is shown; that of the GET of the same path by default. */
  stored?: (call: Call<ParamName<Route>>) => Promise<object>
  /** What Fastify shall do differently for this route. */
  routeOptions?: Pick<RouteShorthandOptions, 'validatorCompiler' | 'errorHandler'> & {
    preValidation?: preValidationAsyncHookHandler
  }
  /** Fields that lists and overviews show: `crew.role as crew` is a field of a field under another label. */
  columns?: string[]
  /** What the command line cannot derive from the rest; false: the operation has no generated command. */
  cli?: CommandHints | false
  verb: (
    call: Call<ParamName<Route>, Query, Body, Headers, Creates>,
  ) => Promise<NoInfer<Result>> | NoInfer<Result>
}

/**
 * How the command line presents an operation. By default `agents.retrieve` is `agents show`, parameters
 * of the path are arguments, and fields of the query and the body are options.
 */
export interface CommandHints {
  /** `keys revoke`. Operations of one command differ in the option that names their owner. */
  command?: string
  /** The first parameter of the path is an option, such as `--agent`. */
  ownerOption?: true
  /** Fields that are arguments; `?` at the end of one that is optional. `body` is a whole body, as a file. */
  args?: string[]
  /** Names of options, by field. */
  options?: Record<string, string>
  /** Options without a value, and the fields that they set. */
  flags?: Record<string, object>
  /** Further commands that set fields and take no options: what they set, and their description. */
  verbs?: Record<string, [sets: object, about: string]>
  /** Filters of the form `key=value`. */
  pairs?: string[]
  /** How many items a list shows by default; 1,000 where nothing is said. */
  limit?: number
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
  /** False: none of the operations has a generated command. */
  cli?: false
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
