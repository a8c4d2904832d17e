import type { JsonSchema, OpenApi, OpenApiOperation } from './generate-operations.ts'

/**
 * Converts the OpenAPI document to the generated part of the Python SDK: a class for each object of answers, a
 * `TypedDict` for each object inside bodies, and a resource class with a method for each operation, for blocking and
 * for asyncio programs; pure.
 */
export function writePython(document: OpenApi): string {
  const types = new Types(document.components.schemas)
  const root: Resource = { path: [], operations: [], children: new Map() }
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const read = readOperation(path, method, operation)
      if (read === undefined) continue
      const names = operation.operationId.split('.').slice(0, -1)
      names.reduce(childOf, root).operations.push(read)
    }
  }
  const resources = [...root.children.values()].flatMap(withChildren)
  const classes = [false, true].flatMap((isAsync) => [
    ...resources.map((resource) => writeResource(resource, types, isAsync)),
    writeApi(root, isAsync),
  ])
  return [header, ...types.write(), ...classes].join('\n\n')
}

const header = `# Made by \`npm run sdk\` from the OpenAPI document. Do not edit.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Literal, TypedDict, Union

from muster._object import ApiObject
from muster._page import AsyncPages, Page
from muster._transport import NOT_GIVEN, AsyncTransport, Call, NotGiven, Options, Transport, segment

if TYPE_CHECKING:
    from typing_extensions import NotRequired
`

interface Resource {
  path: string[]
  operations: Operation[]
  children: Map<string, Resource>
}

interface Operation {
  name: string
  method: string
  /** An f-string. */
  path: string
  arguments: string[]
  query: Field[]
  body: JsonSchema | undefined
  isList: boolean
  item: JsonSchema
  base: string
  doc: string
}

interface Field {
  name: string
  schema: JsonSchema
  isRequired: boolean
  doc: string
}

const json = 'application/json'

function readOperation(
  path: string,
  method: string,
  operation: OpenApiOperation,
): Operation | undefined {
  const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
  const data = answer?.[1].content?.[json]?.schema.properties?.['data']
  const isUpload = operation.requestBody?.content[json] === undefined
  // Streams and uploads are written by hand.
  if (data === undefined || (operation.requestBody !== undefined && isUpload)) return undefined
  const parts = operation.operationId.split('.')
  const isList = data.type === 'array'
  const parameters: string[] = []
  const owner = parts.at(-2) as string
  const template = path.replaceAll(/([^/]+)\/\{(\w+)\}/g, (_, part: string, name: string) => {
    const own = part.replaceAll('-', '_')
    const argument = snake(name !== 'id' || own === owner ? name : `${own.replace(/s$/, '')}_id`)
    parameters.push(argument)
    return `${part}/{segment(${argument})}`
  })
  const all = operation.parameters ?? []
  const query = all.filter((one) => one.in === 'query')
  return {
    name: identifier(parts.at(-1) as string),
    method: method.toUpperCase(),
    path: template,
    arguments: parameters,
    query: query.map(({ name, schema, required = false, description = '' }) => ({
      name,
      schema,
      isRequired: required,
      doc: description,
    })),
    body: operation.requestBody?.content[json]?.schema,
    isList,
    item: isList ? (data.items ?? {}) : data,
    base: parts.map(pascal).join(''),
    doc: [operation.summary, operation.description].filter(Boolean).join('. '),
  }
}

function childOf(resource: Resource, name: string): Resource {
  const child = resource.children.get(name) ?? {
    path: [...resource.path, name],
    operations: [],
    children: new Map(),
  }
  resource.children.set(name, child)
  return child
}

function withChildren(resource: Resource): Resource[] {
  return [...[...resource.children.values()].flatMap(withChildren), resource]
}

const prefix = (isAsync: boolean): string => (isAsync ? 'Async' : '')

function classOf({ path }: Resource, isAsync: boolean): string {
  return `${prefix(isAsync)}${path.map(pascal).join('')}Resource`
}

function writeResource(resource: Resource, types: Types, isAsync: boolean): string {
  const children = [...resource.children].map(
    ([name, child]) => `        self.${identifier(name)} = ${classOf(child, isAsync)}(transport)\n`,
  )
  const methods = resource.operations.map((one) => writeMethod(one, types, isAsync))
  return `class ${classOf(resource, isAsync)}:
    def __init__(self, transport: ${prefix(isAsync)}Transport) -> None:
        self._transport = transport
${children.join('')}${methods.join('')}`
}

/** Resources with further methods, which the client adds itself. */
const extended = ['runs', 'files', 'batches', 'audit', 'usage', 'threads']

function writeApi(root: Resource, isAsync: boolean): string {
  const plain = [...root.children].filter(([name]) => !extended.includes(name))
  const fields = plain.map(
    ([name, child]) => `        self.${identifier(name)} = ${classOf(child, isAsync)}(transport)\n`,
  )
  return `class ${prefix(isAsync)}Api:
    """Every resource of the service."""

    def __init__(self, transport: ${prefix(isAsync)}Transport) -> None:
${fields.join('')}`
}

const options = ['idempotency_key', 'timeout', 'max_retries', 'if_match']

function writeMethod(operation: Operation, types: Types, isAsync: boolean): string {
  const { base, query, body, isList, method } = operation
  const item = types.answer(operation.item, `${base}Result`)
  const fields = body === undefined ? [] : types.fieldsOf(body, base)
  const inBody = new Set(fields.map(({ name }) => name))
  const inQuery = query.filter(({ name }) => !inBody.has(name))
  const all = [...fields, ...inQuery]
  const clash = all.find(({ name }) => options.includes(name))
  if (clash !== undefined) throw new Error(`${base}: ${clash.name} is an option of calls`)
  const required = all.filter((one) => one.isRequired)
  const optional = all.filter((one) => !one.isRequired)
  const parameters = [
    'self',
    ...operation.arguments.map((name) => `${name}: str`),
    '*',
    ...required.map(
      ({ name, schema }) => `${identifier(name)}: ${types.given(schema, base + pascal(name))}`,
    ),
    ...optional.map(
      ({ name, schema }) =>
        `${identifier(name)}: ${types.given(schema, base + pascal(name))} | NotGiven = NOT_GIVEN`,
    ),
    ...(method === 'POST' ? ['idempotency_key: str | None = None'] : []),
    ...(method === 'PATCH' ? ['if_match: str | int | None = None'] : []),
    'timeout: float | None = None',
    'max_retries: int | None = None',
  ]
  const isShort = parameters.length === 2
  const mapping = (some: Field[]): string =>
    `{${some.map(({ name }) => `"${name}": ${identifier(name)}`).join(', ')}}`
  const call = [
    `"${method}"`,
    `${operation.path.includes('{') ? 'f' : ''}"${operation.path}"`,
    ...(inQuery.length > 0 ? [`query=${mapping(inQuery)}`] : []),
    ...(body === undefined ? [] : [`body=${mapping(fields)}`]),
  ]
  const given = [
    'timeout=timeout',
    'max_retries=max_retries',
    ...(method === 'POST' ? ['idempotency_key=idempotency_key'] : []),
    ...(method === 'PATCH' ? ['if_match=if_match'] : []),
  ]
  const returned = isList ? `${isAsync ? 'AsyncPages' : 'Page'}[${item}]` : item
  const isAwaited = isAsync && !isList
  const isUnion = !isList && !types.isClass(item)
  const verb = isList ? 'page' : isUnion ? 'value' : 'data'
  return `
    ${isAwaited ? 'async ' : ''}def ${operation.name}(
        ${(isShort ? parameters.filter((one) => one !== '*') : parameters).join(',\n        ')},
    ) -> ${returned}:
        """${docText(operation.doc)}"""
        ${isUnion ? `answer: ${item} =` : 'return'} ${isAwaited ? 'await ' : ''}self._transport.${verb}(
            Call(${call.join(', ')}),
            Options(${given.join(', ')}),
            ${item},
        )
${isUnion ? '        return answer\n' : ''}`
}

/** The types of answers and of what bodies contain, made as they are asked for. */
class Types {
  readonly #schemas: Record<string, JsonSchema>
  readonly #classes = new Map<string, string>()
  readonly #aliases = new Map<string, string>()
  readonly #given = new Map<string, string>()

  constructor(schemas: Record<string, JsonSchema>) {
    this.#schemas = schemas
    for (const [name, schema] of Object.entries(schemas)) {
      // Events of streams are in no answer.
      if (['RunEvent', 'AccountEvent', 'MessageChanged'].includes(name)) this.answer(schema, name)
    }
  }

  write(): string[] {
    const sorted = (all: Map<string, string>): string[] =>
      [...all.keys()].toSorted().map((name) => all.get(name) ?? '')
    return [...sorted(this.#classes), ...sorted(this.#given), ...sorted(this.#aliases)]
  }

  isClass(name: string): boolean {
    return this.#classes.has(name)
  }

  /** The type of a value in an answer; objects are classes. */
  answer(schema: JsonSchema, name: string): string {
    return this.#type(schema, name, {
      object: (own, title) => this.#class(own, title),
      union: (parts, title) => {
        this.#aliases.set(title, `${title} = Union[${parts.join(', ')}]`)
        return title
      },
      next: (one, title) => this.answer(one, title),
    })
  }

  /** The type of a value that is sent; objects are dictionaries. */
  given(schema: JsonSchema, name: string): string {
    return this.#type(schema, name, {
      object: (own, title) => this.#dict(own, title),
      union: (parts) => parts.join(' | '),
      next: (one, title) => this.given(one, title),
    })
  }

  /** The fields of a body; those of all variants where there are some, none of them required. */
  fieldsOf(schema: JsonSchema, base: string): Field[] {
    const own = this.#resolve(schema)
    const variants = (own['anyOf'] ?? own['oneOf']) as JsonSchema[] | undefined
    if (variants !== undefined) {
      const all = new Map<string, Field[]>()
      for (const field of variants.flatMap((one) => this.fieldsOf(one, base))) {
        all.set(field.name, [...(all.get(field.name) ?? []), field])
      }
      return [...all.values()].map((fields) => {
        const [first] = fields as [Field, ...Field[]]
        const schemas = fields.map((field) => field.schema)
        const kinds = new Set(schemas.map((one) => JSON.stringify({ ...one, description: '' })))
        const merged = kinds.size === 1 ? first.schema : { anyOf: schemas }
        return {
          ...first,
          schema: merged,
          isRequired: fields.length === variants.length && fields.every((one) => one.isRequired),
        }
      })
    }
    return Object.entries(own.properties ?? {}).map(([name, one]) => ({
      name,
      schema: one,
      isRequired: own.required?.includes(name) === true,
      doc: one.description ?? '',
    }))
  }

  #resolve(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.split('/').at(-1)
    return name === undefined ? schema : (this.#schemas[name] ?? {})
  }

  #type(schema: JsonSchema, name: string, into: Into): string {
    const referred = schema.$ref?.split('/').at(-1)
    if (referred !== undefined) return this.#type(this.#resolve(schema), referred, into)
    const { type, enum: values } = schema as { type?: string | string[]; enum?: unknown[] }
    if ('const' in schema) return literal([schema['const']])
    if (values !== undefined) return literal(values)
    const variants = (schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf']) as
      | JsonSchema[]
      | undefined
    if (variants !== undefined) {
      const isNull = (one: JsonSchema): boolean => one.type === 'null'
      const parts = variants
        .filter((one) => !isNull(one))
        .map((one, at) => into.next(one, `${name}${at + 1}`))
      const unique = [...new Set(parts)]
      const union = unique.length === 1 ? (unique[0] ?? 'Any') : into.union(unique, name)
      return variants.some(isNull) ? `${union} | None` : union
    }
    const kinds = [type ?? []].flat()
    if (kinds.length === 0) return 'Any'
    return [...new Set(kinds.map((kind) => this.#kind(kind, schema, name, into)))].join(' | ')
  }

  #kind(kind: string, schema: JsonSchema, name: string, into: Into): string {
    const plain = scalars[kind]
    if (plain !== undefined) return plain
    if (kind === 'array') return `List[${into.next(schema.items ?? {}, name)}]`
    if (schema.properties !== undefined) return into.object(schema, name)
    const { additionalProperties: values } = schema
    if (typeof values !== 'object' || Object.keys(values).length === 0) return 'dict[str, Any]'
    return `dict[str, ${into.next(values, `${name}Value`)}]`
  }

  #class(schema: JsonSchema, name: string): string {
    if (this.#classes.has(name)) return name
    this.#classes.set(name, '')
    const fields = Object.entries(schema.properties ?? {}).map(([field, one]) => {
      const type = this.answer(one, name + pascal(field))
      const isOptional = schema.required?.includes(field) !== true && !/\bNone$|^Any$/.test(type)
      const doc = one.description === undefined ? '' : `    """${docText(one.description)}"""\n`
      return `    ${identifier(field)}: ${type}${isOptional ? ' | None' : ''}\n${doc}`
    })
    const doc = docText(schema.description ?? `Part of an answer.`)
    this.#classes.set(name, `class ${name}(ApiObject):\n    """${doc}"""\n\n${fields.join('')}`)
    return name
  }

  #dict(schema: JsonSchema, name: string): string {
    const title = `${name}Param`
    if (this.#given.has(title)) return title
    this.#given.set(title, '')
    const fields = Object.entries(schema.properties ?? {}).map(([field, one]) => {
      const type = this.given(one, name + pascal(field))
      const isRequired = schema.required?.includes(field) === true
      return [field, isRequired ? type : `NotRequired[${type}]`] as const
    })
    const isPlain = fields.every(([field]) => field === identifier(field))
    const text = isPlain
      ? `class ${title}(TypedDict):\n    """${docText(schema.description ?? 'Part of a body.')}"""\n\n${fields.map(([field, type]) => `    ${field}: ${type}\n`).join('')}`
      : `${title} = TypedDict(\n    "${title}",\n    {\n${fields.map(([field, type]) => `        "${field}": "${type.replaceAll('"', "'")}",\n`).join('')}    },\n)`
    this.#given.set(title, text)
    return title
  }
}

interface Into {
  object: (schema: JsonSchema, name: string) => string
  union: (parts: string[], name: string) => string
  next: (schema: JsonSchema, name: string) => string
}

const scalars: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

function literal(values: unknown[]): string {
  const some = values.filter((value) => value !== null)
  const text = `Literal[${some.map((value) => (typeof value === 'boolean' ? pascal(String(value)) : JSON.stringify(value))).join(', ')}]`
  return some.length === values.length ? text : `${text} | None`
}

function docText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, "'")
}

const keywords = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

/** Names that are words of Python end with an underscore. */
function identifier(name: string): string {
  const plain = name.replaceAll('-', '_')
  return keywords.has(plain) ? `${plain}_` : plain
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function pascal(name: string): string {
  const text = name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
  return text.charAt(0).toUpperCase() + text.slice(1)
}
