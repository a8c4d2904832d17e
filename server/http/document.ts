import { isConditional, methodOf, type Operation, type Resource } from './operation.ts'

/**
 * Parts of the OpenAPI document that are not specific to one operation: tags, shared parameters and
 * headers, and named responses by status. Derived from the operations.
 */
export interface Documented {
  operation: Operation
  resource: Resource
}

export interface OpenApiDocument {
  paths?: Record<string, Record<string, DocumentedOperation>>
  components?: Record<string, unknown>
  [key: string]: unknown
}

interface DocumentedOperation {
  operationId: string
  parameters?: unknown[]
  responses: Record<string, { description?: string; headers?: object }>
}

const text = (description: string, examples?: string[]): object => ({
  description,
  schema: { type: 'string', ...(examples && { examples }) },
})

const headers = {
  'X-Request-Id': text(
    'Id that finds the request in the logs; the one you sent, if it is well formed.',
  ),
  RateLimit: text('Remaining requests in the window, and the seconds until it resets.', [
    '"default";r=597;t=1',
  ]),
  'RateLimit-Policy': text('Maximum requests in a window, and its length in seconds.', [
    '"default";q=600;w=60',
  ]),
  'Retry-After': {
    description: 'Seconds after which a retry may succeed.',
    schema: { type: 'integer', minimum: 0 },
  },
  ETag: text(
    'Of a resource with versions: the live version, for `If-Match`, in reads with a hash of the body. Send it as ' +
      '`If-None-Match` to read only what has changed.',
    ['"3"', '"3-5vT1Xq0kYl2mJc8RzWb9aQ"'],
  ),
  Link: text('The next page, where there is one.', ['</v1/agents?after=YWd0>; rel="next"']),
  'Idempotent-Replayed': {
    description:
      'Set if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'WWW-Authenticate': text('How to authenticate.', ['Bearer']),
}
type Header = keyof typeof headers

const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Your own unique text. For 24 hours, repeating the request with the same key and body returns the first ' +
      'response.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  },
}

const onAll: Header[] = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']

/** Error responses by status: name, description, headers, and which operations can return them. */
const failures: Record<number, [string, string, Header[], (one: Operation) => boolean]> = {
  400: ['InvalidRequest', 'The request is invalid.', [], () => true],
  401: ['Unauthenticated', 'No valid key or session.', ['WWW-Authenticate'], () => true],
  403: ['Forbidden', 'The role or a policy does not allow it.', [], () => true],
  404: ['NotFound', 'It does not exist or belongs to another account.', [], () => true],
  409: ['Conflict', 'The current state does not allow it.', ['Retry-After'], isMutation],
  412: [
    'VersionConflict',
    'Another version is live than the one that `If-Match` names.',
    [],
    takesIfMatch,
  ],
  413: ['PayloadTooLarge', 'The body is too large.', [], isMutation],
  415: ['UnsupportedMediaType', 'The body has an unsupported media type.', [], isMutation],
  422: ['KeyReused', 'The `Idempotency-Key` was used with a different body.', [], takesKey],
  431: ['HeadersTooLarge', 'The headers are too large.', [], () => true],
  429: ['RateLimited', 'Too many requests.', ['Retry-After'], () => true],
  500: ['Internal', 'An internal error; the request id finds it in the logs.', [], () => true],
  503: ['Unavailable', 'Temporarily unavailable; retry later.', ['Retry-After'], () => true],
}

function isMutation(one: Operation): boolean {
  return methodOf(one) !== 'GET'
}

function takesKey(one: Operation): boolean {
  return methodOf(one) === 'POST' && one.role !== 'anyone'
}

function takesIfMatch({ headers = {} }: Operation): boolean {
  return 'if-match' in headers
}

export function statusesOfFailure(one: Operation): number[] {
  return Object.entries(failures).flatMap(([status, [, , , isAnswered]]) =>
    isAnswered(one) ? [Number(status)] : [],
  )
}

export function completeDocument(document: OpenApiDocument, documented: Documented[]): object {
  const byId = new Map(documented.map((one) => [one.operation.id, one.operation]))
  const tags = new Map(documented.map(({ resource }) => [resource.tag, resource.about]))
  for (const { resource } of documented) {
    if (resource.about !== undefined) tags.set(resource.tag, resource.about)
  }
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))
  for (const one of operations) {
    const operation = byId.get(one.operationId)
    if (operation !== undefined) completeOperation(one, operation)
  }
  return withNumberFormats({
    ...document,
    tags: [...tags].map(([name, description]) => ({ name, description })),
    components: {
      ...document.components,
      headers,
      parameters,
      responses: Object.fromEntries(Object.values(failures).map(toResponse)),
    },
  })
}

/**
 * Generators for typed languages read an integer without a format as one of 32 bits, which tokens and
 * bytes outgrow.
 */
function withNumberFormats(document: object): object {
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
    const { type, format, enum: words } = (value ?? {}) as Record<string, unknown>
    const types = [type].flat()
    if (format !== undefined || words !== undefined) return value
    if (types.includes('integer')) return { ...(value as object), format: 'int64' }
    return types.includes('number') ? { ...(value as object), format: 'double' } : value
  }) as object
}

function completeOperation(one: DocumentedOperation, operation: Operation): void {
  const { '4XX': _refused, '5XX': _failed, ...successes } = one.responses
  const own: Header[] = [
    ...onAll,
    ...(operation.answer.isPaged ? (['Link'] as const) : []),
    ...(operation.etag !== undefined ? (['ETag'] as const) : []),
    ...(takesKey(operation) ? (['Idempotent-Replayed'] as const) : []),
  ]
  if (isConditional(operation)) {
    successes['304'] = { description: 'It has not changed since.' }
  }
  for (const answer of Object.values(successes)) answer.headers = refsTo(own)
  const named = statusesOfFailure(operation).map((status) => [
    status,
    { $ref: `#/components/responses/${failures[status]?.[0]}` },
  ])
  one.responses = { ...successes, ...Object.fromEntries(named) }
  if (takesKey(operation)) {
    const key = { $ref: '#/components/parameters/IdempotencyKey' }
    one.parameters = [...(one.parameters ?? []), key]
  }
}

function toResponse([name, description, own]: (typeof failures)[number]): [string, object] {
  const schema = { $ref: '#/components/schemas/ErrorBody' }
  const content = { 'application/json': { schema } }
  return [name, { description, headers: refsTo([...onAll, ...own]), content }]
}

function refsTo(names: Header[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
