import { callOptions } from './transport.ts'

/**
 * Converts the OpenAPI document to classes with a method for each operation, and the schemas that
 * they use; pure.
 */
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

export interface OpenApiOperation {
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

/** `workflows`, or `memory` of `agents` for a nested resource; the root contains them all. */
interface Resource {
  path: string[]
  methods: string[]
  /** A line for the README for each method. */
  signatures: string[]
  children: Map<string, Resource>
}

const json = 'application/json'
const optionNames: readonly string[] = callOptions

export function readOperations(document: OpenApi): {
  classes: string
  signatures: string[]
  schemas: Record<string, JsonSchema>
} {
  const schemas = { ...document.components.schemas }
  const root: Resource = { path: [], methods: [], signatures: [], children: new Map() }
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
      const data = answer?.[1].content?.[json]?.schema.properties?.['data']
      // Streams and uploads are written by hand.
      const isUpload = operation.requestBody?.content[json] === undefined
      if (data === undefined || (operation.requestBody !== undefined && isUpload)) continue
      const resource = operation.operationId.split('.').slice(0, -1).reduce(childOf, root)
      const { method: text, signature } = writeMethod(path, method, operation, data, schemas)
      resource.methods.push(text)
      resource.signatures.push(`${['muster', ...resource.path].join('.')}.${signature}`)
    }
  }
  const children = [...root.children.values()]
  const api = `/** Every resource of the service. */
export class Api {
${children.map(writeField).join('')}
  constructor(transport: Transport) {
${children.map(writeAssignment).join('')}  }
}
`
  const classes = [...children.flatMap(writeResource), api].join('\n')
  return { classes, signatures: children.flatMap(signaturesOf), schemas }
}

function signaturesOf({ signatures, children }: Resource): string[] {
  return [...signatures, ...[...children.values()].flatMap(signaturesOf)]
}

function childOf(resource: Resource, name: string): Resource {
  const path = [...resource.path, name]
  const child = resource.children.get(name) ?? {
    path,
    methods: [],
    signatures: [],
    children: new Map(),
  }
  resource.children.set(name, child)
  return child
}

function writeResource(resource: Resource): string[] {
  const children = [...resource.children.values()]
  const text = `export class ${className(resource)} {
  protected readonly transport: Transport
${children.map(writeField).join('')}
  constructor(transport: Transport) {
    this.transport = transport
${children.map(writeAssignment).join('')}  }
${resource.methods.join('')}}
`
  return [text, ...children.flatMap(writeResource)]
}

function className(resource: Resource): string {
  return `${resource.path.map(pascal).join('')}Resource`
}

function writeField(resource: Resource): string {
  return `  readonly ${resource.path.at(-1)}: ${className(resource)}\n`
}

function writeAssignment(resource: Resource): string {
  return `    this.${resource.path.at(-1)} = new ${className(resource)}(transport)\n`
}

/** Also adds schemas to `schemas` that are not components yet. */
function writeMethod(
  path: string,
  method: string,
  operation: OpenApiOperation,
  data: JsonSchema,
  schemas: Record<string, JsonSchema>,
): { method: string; signature: string } {
  const parts = operation.operationId.split('.')
  const base = parts.map(pascal).join('')
  const isList = data.type === 'array'
  const item = isList
    ? componentFor(data.items ?? {}, `${base}Item`)
    : componentFor(data, `${base}Result`)
  const body = operation.requestBody?.content[json]?.schema
  const queries = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')
  const [parameters, request] = [[] as string[], [`method: '${method.toUpperCase()}'`]]
  const template = withArguments(path, parts.at(-2) as string, parameters)
  request.push(`path: ${template.includes('${') ? `\`${template}\`` : `'${template}'`}`)
  if (body !== undefined) {
    const type = componentFor(body, `${base}Body`)
    const isOptional = method === 'post' && (schemas[type]?.required ?? []).length === 0
    parameters.push(`body: ${type}${isOptional ? ' = {}' : ''}`)
  }
  if (queries.length > 0) {
    const clash = queries.find(({ name }) => optionNames.includes(name))
    if (clash !== undefined) throw new Error(`The query parameter ${clash.name} is a call option`)
    request.push('query: queryOf(options)')
  }
  if (body !== undefined) request.push('body')
  const query = queries.length > 0 ? `${componentFor(querySchema(queries), `${base}Query`)} & ` : ''
  parameters.push(`options: ${query}RequestOptions = {}`)
  const returned = `Promise<${isList ? `Page<${item}>` : item}>`
  const shown = parameters.map((one) => one.replace(/^(\w+): (.*) = \{\}$/, '$1?: $2')).join(', ')
  const signature = `${parts.at(-1)}(${shown}): ${returned}`
  const text = `
  /** ${[operation.summary, operation.description].filter(Boolean).join('. ')} */
  ${parts.at(-1)}(${parameters.join(', ')}): ${returned} {
    return this.transport.${isList ? 'page' : 'data'}({ ${request.join(', ')} }, options)
  }
`
  return { method: text, signature }

  /** The component that a schema refers to, or else a component created for it. */
  function componentFor(schema: JsonSchema, name: string): string {
    const referred = schema.$ref?.split('/').at(-1)
    if (referred === undefined) schemas[name] = schema
    return referred ?? name
  }
}

function querySchema(queries: Parameter[]): JsonSchema {
  const properties = queries.map(({ name, schema, description }) => [
    name,
    { ...schema, ...(description === undefined ? {} : { description }) },
  ])
  return {
    type: 'object',
    additionalProperties: false,
    required: queries.filter((query) => query.required).map((query) => query.name),
    properties: Object.fromEntries(properties),
  }
}

/**
 * Names of arguments: `{id}` of the resource itself is `id`, in `/v1/workflows/{id}/runs` it is
 * `workflowId`.
 */
function withArguments(path: string, resource: string, parameters: string[]): string {
  return path.replaceAll(/([^/]+)\/\{(\w+)\}/g, (_, segment: string, part: string) => {
    const owner = segment.replaceAll('-', '_')
    const isOwn = part !== 'id' || owner === resource
    const argument = isOwn ? part : `${camel(owner.replace(/s$/, ''))}Id`
    parameters.push(`${argument}: string`)
    return `${segment}/\${encodeURIComponent(${argument})}`
  })
}

function camel(name: string): string {
  return name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
}

function pascal(name: string): string {
  const text = camel(name)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
