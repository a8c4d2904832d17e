/** OpenAPI document to operations with named types, pure. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  description?: string
  additionalProperties?: boolean | JsonSchema
  [key: string]: unknown
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: JsonSchema
}

interface OpenApiOperation {
  operationId: string
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>
}

export interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>
  components: { schemas: Record<string, JsonSchema> }
}

export interface Operation {
  /** `['workflows']`, or `['agents', 'memory']` for a resource of a resource. */
  resource: string[]
  verb: string
  method: string
  path: string
  /** Names of the arguments for the parts of the path, in order. */
  pathArguments: { part: string; argument: string }[]
  /** Names of types. */
  body: { type: string; isOptional: boolean } | undefined
  query: string | undefined
  result: { type: string; isList: boolean }
  documentation: string
}

const json = 'application/json'

export function readOperations(document: OpenApi): {
  operations: Operation[]
  schemas: Record<string, JsonSchema>
} {
  // The name of the global class is no good name for a type.
  const { Error: ErrorBody, ...others } = document.components.schemas
  const schemas = { ...others, ...(ErrorBody === undefined ? {} : { ErrorBody }) }
  const operations: Operation[] = []
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
      const data = answer?.[1].content?.[json]?.schema.properties?.['data']
      // Streams are written by hand.
      if (data === undefined) continue
      operations.push(readOperation(path, method, operation, data, schemas))
    }
  }
  return { operations, schemas }
}

function readOperation(
  path: string,
  method: string,
  operation: OpenApiOperation,
  data: JsonSchema,
  schemas: Record<string, JsonSchema>,
): Operation {
  const parts = operation.operationId.split('.')
  const verb = parts.pop() as string
  const base = parts.map(pascal).join('') + pascal(verb)
  const isList = data.type === 'array'
  const bodySchema = operation.requestBody?.content[json]?.schema
  const queries = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')

  return {
    resource: parts,
    verb,
    method: method.toUpperCase(),
    path,
    pathArguments: pathArguments(path, parts.at(-1) as string),
    body:
      bodySchema === undefined
        ? undefined
        : {
            type: nameOf(bodySchema, `${base}Body`),
            isOptional: method === 'post' && (resolve(bodySchema).required ?? []).length === 0,
          },
    query: queries.length === 0 ? undefined : nameOf(querySchema(queries), `${base}Query`),
    result: isList
      ? { type: nameOf(data.items ?? {}, `${base}Item`), isList }
      : { type: nameOf(data, `${base}Result`), isList },
    documentation: [operation.summary, operation.description].filter(Boolean).join('. '),
  }

  /** The component that a schema refers to, else a component made for it. */
  function nameOf(schema: JsonSchema, name: string): string {
    const referred = refName(schema)
    if (referred !== undefined) return referred
    schemas[name] = schema
    return name
  }

  function resolve(schema: JsonSchema): JsonSchema {
    const name = refName(schema)
    return name === undefined ? schema : (schemas[name] ?? {})
  }
}

function querySchema(queries: Parameter[]): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: queries.filter((query) => query.required).map((query) => query.name),
    properties: Object.fromEntries(
      queries.map(({ name, schema, description }) => [
        name,
        { ...schema, ...(description === undefined ? {} : { description }) },
      ]),
    ),
  }
}

function refName({ $ref }: JsonSchema): string | undefined {
  return $ref?.split('/').at(-1)
}

/** `{id}` of the resource itself is `id`; the one of `/v1/workflows/{id}/runs` is `workflowId`. */
function pathArguments(path: string, resource: string): Operation['pathArguments'] {
  const segments = path.split('/')
  return segments.flatMap((segment, index) => {
    const part = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (part === undefined) return []
    const owner = (segments[index - 1] as string).replaceAll('-', '_')
    const isOwn = part !== 'id' || owner === resource
    return [{ part, argument: isOwn ? part : `${camel(owner.replace(/s$/, ''))}Id` }]
  })
}

function camel(name: string): string {
  return name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
}

export function pascal(name: string): string {
  const text = camel(name)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
