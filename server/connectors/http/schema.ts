import Type, { type Static } from 'typebox'
import { Name, StrictObject, StringEnum, Text } from '../../wire-types.ts'
import { httpMethods } from './request.ts'

/** The bodies that connect an HTTP API, by its actions or by its OpenAPI document. */
const printable = '^[\\x21-\\x7e]+$'
const printableLine = '^[\\x20-\\x7e]*$'
const secret = (maxLength: number, pattern: string, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, pattern, description }))

const authTypes = ['none', 'bearer', 'basic', 'header', 'query', 'oauth2'] as const

const auth = Type.Optional(
  StrictObject(
    {
      type: StringEnum(authTypes, {
        description:
          'Kind of login: `bearer` {token}, `basic` {username, password}, `header` or `query` {name, value}, ' +
          '`oauth2` {token_url, client_id, client_secret, scopes, audience} for client credentials; `none` removes it.',
      }),
      token: secret(8_000, printable, 'bearer: the token, printable ASCII.'),
      username: Type.Optional(
        Type.String({ maxLength: 1_000, description: 'basic: the user name.' }),
      ),
      password: Type.Optional(
        Type.String({ maxLength: 8_000, description: 'basic: the password.' }),
      ),
      name: secret(100, '^[^\\s]+$', 'header or query: its name.'),
      value: secret(8_000, printableLine, 'header or query: its value, printable ASCII.'),
      token_url: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 2048,
          format: 'uri',
          description: 'oauth2: address of the token endpoint.',
        }),
      ),
      client_id: secret(1_000, printableLine, 'oauth2: id of the client.'),
      client_secret: secret(8_000, printableLine, 'oauth2: secret of the client.'),
      scopes: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 500, pattern: printable }), {
          maxItems: 100,
          description: 'oauth2: scopes to ask for.',
        }),
      ),
      audience: secret(2_000, printableLine, 'oauth2: audience to ask for.'),
    },
    {
      description:
        'How calls log in. If omitted, the stored login is kept while the host of `base_url` is the same.',
    },
  ),
)

const headers = Type.Optional(
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: 20,
    propertyNames: { type: 'string', maxLength: 100, pattern: '^[A-Za-z0-9_-]{1,100}$' },
    additionalProperties: {
      type: 'string',
      maxLength: 8000,
      pattern: printableLine,
      description: 'printable ASCII',
    },
    description:
      'Sent with every request. If omitted, those stored for the same host of `base_url` are kept.',
  }),
)

const label = Type.Optional(Name(100, 'Display name, its id by default'))
const baseUrl = (description: string) =>
  Type.String({ minLength: 1, maxLength: 2048, format: 'uri', description })

export const HttpAction = StrictObject(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$',
      maxLength: 64,
      description: 'Name of the action: `<connector>.<name>`.',
    }),
    description: Text(2_000, 'The description that models see.'),
    method: StringEnum(httpMethods, { description: 'Method of the request.' }),
    path: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Path below `base_url`, such as `/orders/{id}`; `{…}` is a field of the input.',
    }),
    input_schema: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description:
          'JSON Schema of the input, an object, up to 32 KB; by default texts for the fields of `path` and `query`.',
      }),
    ),
    query: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: 100,
        description: 'Fields of the input that go into the query.',
      }),
    ),
    body: Type.Optional(
      StringEnum(['json', 'form', 'none'] as const, {
        description:
          'How the remaining fields are sent; by default `json` for POST, PUT and PATCH, else `none`.',
      }),
    ),
    safe: Type.Optional(
      Type.Boolean({
        description:
          'Whether it needs no approval and may be repeated; only for GET and HEAD, where it is the default.',
      }),
    ),
  },
  { $id: 'HttpAction', description: 'An action of an HTTP API.' },
)
export type HttpAction = Static<typeof HttpAction>

export const ConnectHttp = StrictObject(
  {
    kind: StringEnum(['http'] as const, { description: 'Always http.' }),
    label,
    base_url: baseUrl(
      'Address that all paths are below, https unless in an allowed network. No call goes to another host.',
    ),
    auth,
    headers,
    actions: Type.Array(Type.Unsafe<HttpAction>({ $ref: 'HttpAction#' }), {
      maxItems: 100,
      description: 'Its actions.',
    }),
  },
  { $id: 'ConnectHttp', description: 'An HTTP API whose actions are described one by one.' },
)
export type ConnectHttp = Static<typeof ConnectHttp>

const names = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.String({ minLength: 1, maxLength: 300, description: 'Name of an operation.' }),
      {
        maxItems: 1_000,
        description,
      },
    ),
  )

export const operationsPick = StrictObject(
  {
    only: names('Only these operations; may be empty.'),
    except: names('All operations except these, including operations added later.'),
  },
  {
    description:
      'The operations to offer to agents, up to 100, by one of the two lists; all by default. An operation is named by ' +
      'its `operationId`, else `METHOD /path`.',
  },
)

export const ConnectOpenApi = StrictObject(
  {
    kind: StringEnum(['openapi'] as const, { description: 'Always openapi.' }),
    label,
    document: Type.Optional(
      Type.Unsafe<string | Record<string, unknown>>({
        type: ['string', 'object'],
        maxLength: 5 * 1024 * 1024,
        additionalProperties: true,
        description: 'The document, as text (JSON or YAML) or as an object, up to 5 MB.',
      }),
    ),
    document_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        format: 'uri',
        description:
          'Address of the document, read again by tests and once a day. If neither is given, the stored address is read.',
      }),
    ),
    base_url: Type.Optional(
      baseUrl("Address that all paths are below; the document's first server by default."),
    ),
    auth,
    headers,
    operations: Type.Optional(operationsPick),
    safe: names(
      'Operations that you know to be read-only and that need no approval; none by default.',
    ),
  },
  {
    $id: 'ConnectOpenApi',
    description:
      'An HTTP API by its OpenAPI document (3.0 or 3.1), or the acceptance of its current document.',
  },
)
export type ConnectOpenApi = Static<typeof ConnectOpenApi>
