import Type, { type Static } from 'typebox'
import {
  connectionFields,
  connectionStates,
  Nullable,
  NullableText,
  Ref,
  ShownUrl,
  StrictObject,
  StringEnum,
  testFields,
  Url,
} from '../wire-types.ts'
import { connectable } from './built-ins.ts'
import { ConnectHttp, ConnectOpenApi, HttpAction, operationsPick } from './http/schema.ts'
import { httpMethods } from './http/request.ts'
import { maxMcpTools } from './mcp/pins.ts'

export const ConnectorAction = Type.Object(
  {
    id: Type.String({ description: 'Capability of agents, `<connector>.<action>`.' }),
    description: Type.String({ description: 'The description that models see.' }),
    input_schema: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'JSON Schema of its arguments.',
    }),
    sensitive: Type.Boolean({
      description:
        'Whether it changes, or could change, another system and therefore waits for approval.',
    }),
    version: Type.String({
      description: 'Changes with its description, its arguments and its connection.',
    }),
    unavailable: NullableText('Why it cannot be called now; null otherwise.'),
    method: Type.Optional(
      StringEnum(httpMethods, { description: 'HTTP API: method of the request.' }),
    ),
    path: Type.Optional(Type.String({ description: 'HTTP API: path below `base_url`.' })),
    query: Type.Optional(
      Type.Array(Type.String(), { description: 'HTTP API: fields that go into the query.' }),
    ),
    body: Type.Optional(
      StringEnum(['json', 'form', 'none'] as const, {
        description: 'HTTP API: how the remaining fields are sent.',
      }),
    ),
    safe: Type.Optional(
      Type.Boolean({
        description: "HTTP API: whether it is safe, whatever the account's policies say.",
      }),
    ),
  },
  { $id: 'ConnectorAction', description: 'An action that agents may use.' },
)

const names = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

const toolNames = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 128, description: 'Name of a tool.' }), {
      maxItems: 1_000,
      description,
    }),
  )

const pickedTools = Type.Optional(
  StrictObject(
    {
      only: toolNames('Only these tools; may be empty.'),
      except: toolNames('All tools except these, including tools added later.'),
    },
    { description: 'MCP: the tools to offer to agents, by one of the two lists; all by default.' },
  ),
)

export const OtherTool = Type.Object(
  {
    name: Type.String({ description: 'Name of the tool.' }),
    description: Type.String({ description: 'The beginning of its description.' }),
  },
  { $id: 'OtherTool', description: 'A tool of an MCP server that is not offered to agents.' },
)

export const ListedOperation = Type.Object(
  {
    name: Type.String({ description: 'Its `operationId`, else `METHOD /path`.' }),
    action: Type.String({ description: 'Capability of agents if it is picked.' }),
    method: Type.String({ description: 'Method of the request.' }),
    path: Type.String({ description: 'Path below `base_url`.' }),
    description: Type.String({ description: 'The beginning of its description.' }),
    picked: Type.Boolean({ description: 'Whether it was picked.' }),
    available: Type.Boolean({ description: 'Whether agents can be offered it.' }),
    reason: Type.Optional(Type.String({ description: 'Why it cannot be offered.' })),
    safe: Type.Boolean({ description: 'Whether it needs no approval.' }),
  },
  { $id: 'ListedOperation', description: 'An operation of an OpenAPI document.' },
)

const anyValue = (description: string) => Type.Unsafe<unknown>({ description })

export const DocumentChange = Type.Object(
  {
    operation: Type.String({ description: 'Name of the operation.' }),
    change: StringEnum(['added', 'changed', 'removed'] as const, {
      description: 'What happened to it since the document was accepted.',
    }),
    fields: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({
            description: '`description`, `input_schema`, `request` or `available`.',
          }),
          before: anyValue('As accepted; the size alone of a large value.'),
          after: anyValue('In the current document.'),
        }),
        { description: 'What differs in a changed operation.' },
      ),
    ),
  },
  {
    $id: 'DocumentChange',
    description: 'A difference between the accepted and the current document.',
  },
)

const changes = Type.Optional(
  Type.Array(Ref(DocumentChange), {
    description: 'OpenAPI: how the document differs from the accepted one, up to 200 differences.',
  }),
)

export const Connector = Type.Object(
  {
    id: Type.String({ description: 'Connector id.' }),
    label: Type.String({ description: 'Display name.' }),
    kind: StringEnum(['builtin', 'mcp', 'http', 'openapi'] as const, {
      description:
        'Built in, an MCP server, or an HTTP API by its actions or its OpenAPI document.',
    }),
    connected: Type.Boolean({ description: 'Whether at least one action can be called.' }),
    stored: Type.Boolean({
      description:
        'Whether the account has connected it. If not, there is nothing to test or disconnect, even if actions ' +
        "work without credentials or with the operator's.",
    }),
    state: Nullable(
      StringEnum([...connectionStates, 'needs_login'] as const, {
        description:
          'Result of the last test or use; `saved` before the first, null if nothing is stored. `needs_login`: an admin, or ' +
          'with `credentials: person` you, must log in (`POST /v1/connectors/{id}/authorize`).',
      }),
    ),
    ...connectionFields,
    actions: Type.Array(Ref(ConnectorAction), { description: 'Its actions.' }),
    credentials_schema: Type.Optional(
      Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        description:
          'Built-in: JSON Schema of its credentials; secrets are `writeOnly`. Absent if it needs none.',
      }),
    ),
    settings: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'Built-in: the stored fields that are not secret, such as `host` and `from`.',
      }),
    ),
    url: Type.Optional(ShownUrl('MCP: origin of its address.')),
    header_names: names('MCP and HTTP API: names of the headers that are sent.'),
    safe_tools: names('MCP: tools that need no approval.'),
    tools: pickedTools,
    other_tools: Type.Optional(
      Type.Array(Ref(OtherTool), { description: 'MCP: tools that are not offered to agents.' }),
    ),
    credentials: Type.Optional(
      StringEnum(['account', 'person'] as const, {
        description:
          "MCP with a login: whose login calls use, the account's or that of the person who triggered the run.",
      }),
    ),
    changed_tools: names(
      'MCP and OpenAPI: tools that changed or disappeared; refused until the connector is connected again.',
    ),
    base_url: Type.Optional(ShownUrl('HTTP API: address that all paths are below.')),
    auth: Type.Optional(
      Type.Unsafe<{ type: string; [field: string]: unknown }>({
        type: 'object',
        additionalProperties: true,
        description: 'HTTP API: how calls log in, without secrets.',
      }),
    ),
    document: Type.Optional(
      Type.Object(
        {
          origin: NullableText('Origin of its address; null if it has none.'),
          title: Type.String({ description: 'Its title.' }),
          version: Type.String({ description: 'Its version.' }),
          operations: Type.Integer({ description: 'Operations that it has, listed or not.' }),
        },
        { description: 'OpenAPI: the accepted document.' },
      ),
    ),
    operations: Type.Optional(operationsPick),
    safe: names('OpenAPI: operations that need no approval.'),
    listed_operations: Type.Optional(
      Type.Array(Ref(ListedOperation), {
        description:
          'OpenAPI: the operations of the document, up to 1,000, the picked ones always.',
      }),
    ),
    changes,
  },
  { $id: 'Connector', description: 'A connection through which agents act in other systems.' },
)
export type Connector = Static<typeof Connector>

const printable = '^[\\x20-\\x7e]+$'

export const ConnectMcp = StrictObject(
  {
    kind: StringEnum(['mcp'] as const, { description: 'Always mcp.' }),
    url: Url('Address of the server (Streamable HTTP), https unless in an allowed network.'),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        maxProperties: 20,
        propertyNames: { type: 'string', maxLength: 100, pattern: '^[A-Za-z0-9_-]{1,100}$' },
        additionalProperties: {
          type: 'string',
          maxLength: 8000,
          pattern: '^[\\x20-\\x7e]*$',
          description: 'printable ASCII',
        },
        description:
          'Sent with every request, such as Authorization. If omitted, those stored for the same url are kept.',
      }),
    ),
    safe_tools: Type.Optional(
      Type.Array(Type.String({ maxLength: 128, description: 'Name of a tool.' }), {
        maxItems: maxMcpTools,
        description: 'Tools that you know to be read-only; none by default.',
      }),
    ),
    tools: pickedTools,
    credentials: Type.Optional(
      StringEnum(['account', 'person'] as const, {
        description:
          'For a server that demands a login: one login of the account (the default), or one of each person, which calls of ' +
          'their own runs use.',
      }),
    ),
    client: Type.Optional(
      StrictObject(
        {
          id: Type.String({
            minLength: 1,
            maxLength: 1_000,
            pattern: printable,
            description: 'Client id.',
          }),
          secret: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 1_000,
              pattern: printable,
              writeOnly: true,
              description: 'Client secret, if the client has one.',
            }),
          ),
        },
        {
          description:
            'The client that you registered at the authorization server, if Muster cannot register itself. If omitted, the ' +
            'one stored for the same url is kept.',
        },
      ),
    ),
  },
  {
    $id: 'ConnectMcp',
    description: 'An MCP server to connect, or to accept with its current tools.',
  },
)
export type ConnectMcp = Static<typeof ConnectMcp>

/** The credentials of a built-in, or an MCP server, depending on the id. */
export const ConnectConnector = Type.Unsafe<Record<string, unknown>>({
  $id: 'ConnectConnector',
  examples: [{ kind: 'mcp', url: 'https://example.com/mcp' }],
  description:
    'The credentials of a built-in connector, an MCP server or an HTTP API. The connector in the path says which it is, ' +
    'or `kind` if it is none that is built in.',
  anyOf: [
    ...connectable.map(({ credentials }) => Ref(credentials)),
    Ref(ConnectMcp),
    Ref(ConnectHttp),
    Ref(ConnectOpenApi),
  ],
})

export const ConnectorTest = Type.Object(
  {
    ...testFields,
    changed_tools: names('MCP and OpenAPI: tools that changed or disappeared.'),
    changes,
  },
  { $id: 'ConnectorTest', description: 'The result of a test.' },
)
export type ConnectorTest = Static<typeof ConnectorTest>

export { ConnectHttp, ConnectOpenApi, HttpAction }

export const TryConnector = StrictObject(
  {
    action: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The action, with or without the id of the connector in front.',
    }),
    input: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'Its arguments, `{}` by default.',
      }),
    ),
  },
  {
    $id: 'TryConnector',
    description: 'An action to call once, with its effects.',
    examples: [{ action: 'get_order', input: { id: '1001' } }],
  },
)

export const ConnectorTried = Type.Object(
  {
    status: StringEnum(['succeeded', 'failed', 'unknown'] as const, {
      description: 'As of a call of an agent.',
    }),
    output: Type.String({ description: 'What an agent would get, up to 64 KB.' }),
  },
  { $id: 'ConnectorTried', description: 'The result of an action.' },
)
export type ConnectorTried = Static<typeof ConnectorTried>
