import type { Body, HttpRequest, Place, Style } from '../http/request.ts'
import { Expander, fieldName, type ExpandOptions } from './expand-schema.ts'
import { fieldOf, isObject, NotOffered, resolve, type Fields } from './resolve.ts'

/**
 * The arguments of an operation: its parameters under the document's names, and the fields of an
 * object body beside them. Of two with the same name, the later one gets the name of its place in
 * front (`query_…`, `header_…`, `body_…`).
 */
export interface Arguments extends Pick<HttpRequest, 'places' | 'body'> {
  schema: Fields
}

/** Parameters that the connection itself sets, in lower case. */
export interface TakenNames {
  headers: readonly string[]
  query: readonly string[]
}

interface Parameter {
  name: string
  in: Place['in']
  schema: unknown
  isRequired: boolean
  description: unknown
  style?: Style
  explode?: boolean
  isJson: boolean
  /** The document allows an empty text in a query. */
  mayBeEmpty: boolean
}

/** Headers that the transport sets, and those that OpenAPI leaves to other parts of the document. */
const transportHeaders =
  /^(?:accept|authorization|content-.*|accept-encoding|host|connection|upgrade|transfer-encoding|te|trailer|keep-alive|proxy-.*|cookie|idempotency-key)$/i

export function readArguments(
  document: unknown,
  operation: { method: string; parameters: unknown[]; requestBody: unknown },
  taken: TakenNames,
  options: ExpandOptions,
): Arguments {
  const expander = new Expander(document, options)
  const properties = new Map<string, Fields>()
  const required: string[] = []
  const places: Place[] = []
  /** The name of an argument that no other has. */
  const nameFor = (name: string, where: string): string => {
    const plain = fieldName.test(name)
      ? name
      : name
          .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
          .replaceAll(/^_+|_+$/g, '')
          .slice(0, 56) || where
    if (!properties.has(plain)) return plain
    const other = `${where}_${plain}`.slice(0, 60)
    for (let count = 1; ; count++) {
      const next = count === 1 ? other : `${other}_${count}`
      if (!properties.has(next)) return next
    }
  }

  for (const parameter of parametersOf(document, operation.parameters, taken)) {
    const schema = expander.expand(parameter.schema)
    if (schema === undefined) {
      if (!parameter.isRequired) continue
      throw new NotOffered(`its parameter ${shown(parameter.name)} refers to itself without an end`)
    }
    refuseNested(parameter, schema)
    const argument = nameFor(parameter.name, parameter.in)
    properties.set(argument, describe(filled(parameter, schema), parameter.description, options))
    if (parameter.isRequired) required.push(argument)
    const { name, style, explode, isJson, mayBeEmpty } = parameter
    places.push({
      argument,
      in: parameter.in,
      name,
      ...(style !== undefined && { style }),
      ...(explode !== undefined && { explode }),
      ...(isJson && { json: true as const }),
      ...(parameter.in === 'query' && !mayBeEmpty && { skipEmpty: true as const }),
    })
  }

  const body = bodyOf(document, operation.requestBody)
  if (body === undefined) return { schema: toSchema(properties, required), places }
  const { schema, ...written } = readBody(body)
  const whole = expander.expand(schema)
  if (whole === undefined) {
    throw new NotOffered('its body refers to itself without an end')
  }
  const fields = fieldsOf(whole)
  if (fields === undefined) {
    const argument = nameFor('body', 'body')
    properties.set(argument, describe(whole, body.description, options))
    // Documents seldom say that a body is required.
    if (body.isRequired || operation.method !== 'DELETE') required.push(argument)
    return {
      schema: toSchema(properties, required),
      places,
      body: { ...written, whole: argument, optional: true },
    }
  }
  const names: Record<string, string> = {}
  for (const [name, field] of Object.entries(fields.properties)) {
    const argument = nameFor(name, 'body')
    if (argument !== name) names[argument] = name
    properties.set(argument, field)
    if (fields.required.has(name)) required.push(argument)
  }
  return {
    schema: toSchema(properties, required),
    places,
    body: {
      ...written,
      ...(Object.keys(names).length > 0 && { names }),
      ...(operation.method === 'DELETE' && !body.isRequired && { optional: true as const }),
    },
  }
}

function toSchema(properties: Map<string, Fields>, required: string[]): Fields {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function describe(schema: Fields, description: unknown, { isTerse }: ExpandOptions): Fields {
  const isSaid = typeof schema['description'] === 'string' || typeof description !== 'string'
  if (isTerse || isSaid || description === '') return schema
  return { ...schema, description: description.slice(0, 500).toWellFormed() }
}

function parametersOf(document: unknown, given: unknown[], taken: TakenNames): Parameter[] {
  const found = new Map<string, Parameter>()
  for (const one of given) {
    const parameter = resolve(document, one)
    if (!isObject(parameter)) throw new NotOffered('it has a parameter that is no object')
    const { name, in: where, required: isRequired = false } = parameter
    if (typeof name !== 'string' || name === '')
      throw new NotOffered('it has a parameter without a name')
    if (where === 'cookie') {
      if (isRequired === true) throw new NotOffered(`it requires the cookie ${shown(name)}`)
      continue
    }
    if (where !== 'path' && where !== 'query' && where !== 'header') {
      throw new NotOffered(`its parameter ${shown(name)} is in ${shown(String(where))}`)
    }
    if (where === 'header' && transportHeaders.test(name)) continue
    if (where === 'header' && taken.headers.includes(name.toLowerCase())) continue
    if (where === 'query' && taken.query.includes(name)) continue
    found.set(`${where} ${name}`, readParameter(parameter, name, where, isRequired === true))
  }
  const order = ['path', 'query', 'header']
  return [...found.values()].sort((a, b) => order.indexOf(a.in) - order.indexOf(b.in))
}

function readParameter(
  parameter: Fields,
  name: string,
  where: Place['in'],
  isRequired: boolean,
): Parameter {
  const content = parameter['content']
  const [mediaType, media] = isObject(content) ? (Object.entries(content)[0] ?? []) : []
  if (mediaType !== undefined && !isJsonType(mediaType)) {
    throw new NotOffered(`its parameter ${shown(name)} is sent as ${mediaType.slice(0, 80)}`)
  }
  const { style, explode, description } = parameter
  const known = stylesOf[where]
  if (style !== undefined && !known.includes(style as Style)) {
    throw new NotOffered(
      `its parameter ${shown(name)} has the style ${shown(JSON.stringify(style))}`,
    )
  }
  if (where === 'header' && !/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name)) {
    throw new NotOffered(`its header ${shown(name)} has no valid name`)
  }
  return {
    name,
    in: where,
    schema: mediaType === undefined ? parameter['schema'] : fieldOf(media, 'schema'),
    isRequired: isRequired || where === 'path',
    description,
    ...(style !== undefined && { style: style as Style }),
    ...(typeof explode === 'boolean' && { explode }),
    isJson: mediaType !== undefined,
    mayBeEmpty: parameter['allowEmptyValue'] === true,
  }
}

/** A required text of a query is not empty, unless the document allows that. */
function filled({ in: where, isRequired, mayBeEmpty }: Parameter, schema: Fields): Fields {
  const isText = where === 'path' || (where === 'query' && isRequired && !mayBeEmpty)
  if (!isText || schema['type'] !== 'string' || 'enum' in schema) return schema
  return { ...schema, minLength: Math.max(1, (schema['minLength'] as number | undefined) ?? 0) }
}

const stylesOf: Record<Place['in'], readonly Style[]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
}

/** Lists of objects and the like have no form in a path, a query or a header. */
function refuseNested({ name, isJson, style }: Parameter, schema: Fields): void {
  if (isJson || style === 'deepObject') return
  const inside = [
    schema['items'],
    ...Object.values((schema['properties'] as Fields | undefined) ?? {}),
  ]
  const isNested = inside.some((part) =>
    [fieldOf(part, 'type')].flat().some((type) => type === 'object' || type === 'array'),
  )
  if (isNested) {
    throw new NotOffered(
      `its parameter ${shown(name)} has lists or objects inside, for which OpenAPI has no form`,
    )
  }
}

interface RequestBody {
  content: Fields
  isRequired: boolean
  description: unknown
}

function bodyOf(document: unknown, given: unknown): RequestBody | undefined {
  const body = resolve(document, given)
  if (!isObject(body)) return undefined
  const { content, required, description } = body
  if (!isObject(content) || Object.keys(content).length === 0) return undefined
  return { content, isRequired: required === true, description }
}

/** The first media type of a body that can be written, in the order of preference. */
function readBody({ content }: RequestBody): Body & { schema: unknown } {
  const types = Object.keys(content)
  for (const [kind, isKind] of Object.entries(bodyKinds)) {
    const mediaType = types.find((type) => isKind(type))
    if (mediaType === undefined) continue
    const media = content[mediaType]
    const schema = fieldOf(media, 'schema')
    return {
      kind: kind as Body['kind'],
      mediaType: mediaType.includes('*') ? 'application/json' : mediaType,
      schema,
      ...((kind === 'form' || kind === 'multipart') && encodingsOf(media)),
    }
  }
  throw new NotOffered(
    `its body is ${types.slice(0, 3).join(', ').slice(0, 120)}, which is not written`,
  )
}

function isJsonType(type: string): boolean {
  return /^(?:application\/(?:[^;]*\+)?json|\*\/\*|application\/\*)\s*(?:;|$)/i.test(type)
}

const bodyKinds: Record<Body['kind'], (type: string) => boolean> = {
  json: isJsonType,
  form: (type) => /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type),
  multipart: (type) => /^multipart\/form-data\s*(?:;|$)/i.test(type),
  text: (type) => /^text\/(?:plain|markdown|html|csv)\s*(?:;|$)/i.test(type),
}

function encodingsOf(media: unknown): Pick<Body, 'encodings'> {
  const encoding = fieldOf(media, 'encoding')
  if (!isObject(encoding)) return {}
  const read = Object.entries(encoding).flatMap(([name, one]) => {
    const style = fieldOf(one, 'style')
    const explode = fieldOf(one, 'explode')
    if (!stylesOf.query.includes(style as Style)) return []
    return [
      [name, { style: style as Style, ...(typeof explode === 'boolean' && { explode }) }] as const,
    ]
  })
  return read.length === 0 ? {} : { encodings: Object.fromEntries(read) }
}

/** The fields of an object body; undefined if it is anything else, which becomes one argument. */
function fieldsOf(
  schema: Fields,
): { properties: Record<string, Fields>; required: Set<string> } | undefined {
  const { type, properties: own, required = [], additionalProperties: others, ...rest } = schema
  const known = ['description', 'maxProperties', 'default']
  if (Object.keys(rest).some((keyword) => !known.includes(keyword))) return undefined
  if (![type].flat().includes('object') || !isObject(own) || isObject(others)) return undefined
  // A required field may have no schema.
  const lost = (required as string[]).filter((name) => !Object.hasOwn(own, name))
  const properties = { ...own, ...Object.fromEntries(lost.map((name) => [name, {}])) }
  if (Object.keys(properties).length === 0 || lost.some((name) => !fieldName.test(name)))
    return undefined
  return {
    properties: properties as Record<string, Fields>,
    required: new Set(required as string[]),
  }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
