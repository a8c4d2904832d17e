import type { Context } from '../../context.ts'
import { cannot } from '../../errors.ts'
import { fieldName } from '../openapi/expand-schema.ts'
import { pinTools } from '../mcp/pins.ts'
import { hashAction, type HttpTool } from './pinned.ts'
import { hasDotSegment, type Body, type HttpRequest } from './request.ts'
import type { HttpAction } from './schema.ts'

/** Pins the actions that an admin wrote; throws for the first that cannot be called. */
export async function pinActions(ctx: Context, actions: HttpAction[]): Promise<HttpTool[]> {
  const pinned = new Map<string, HttpTool>()
  for (const [index, action] of actions.entries()) {
    const place = `actions[${index}]`
    if (pinned.has(action.name)) {
      throw wrong(ctx, `${place}.name`, `is ${action.name}, which another action has`)
    }
    pinned.set(action.name, await pinAction(ctx, action, place))
  }
  return [...pinned.values()]
}

export function isSafe({ method, safe }: HttpAction): boolean {
  return safe ?? isRead(method)
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

async function pinAction(ctx: Context, action: HttpAction, place: string): Promise<HttpTool> {
  const { name, method, path, query = [], safe } = action
  checkPath(ctx, `${place}.path`, path)
  if (safe === true && !isRead(method)) {
    throw wrong(ctx, `${place}.safe`, `is true for ${method}, expected it for GET and HEAD alone`)
  }
  const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, field = '']) => field)
  const kind = action.body ?? (['POST', 'PUT', 'PATCH'].includes(method) ? 'json' : 'none')
  if (kind !== 'none' && isRead(method)) {
    throw wrong(ctx, `${place}.body`, `is ${kind} for ${method}, which has no body`)
  }
  const schema = action.input_schema ?? textsFor([...inPath, ...query])
  const { description: given } = action
  const [pinned] = await pinTools([{ name, description: given, inputSchema: schema }])
  if (pinned === undefined || pinned.refused !== undefined) {
    throw wrong(
      ctx,
      `${place}.input_schema`,
      `cannot be used: ${pinned?.refused}`,
      'invalid_schema',
    )
  }
  const fields = Object.keys((schema['properties'] as object | undefined) ?? {})
  const unnamed = fields.find((field) => !fieldName.test(field))
  if (unnamed !== undefined) {
    const shown = JSON.stringify(unnamed.slice(0, 80))
    const expected = "expected names that models' providers take: A-Z a-z 0-9 _ . -, up to 64"
    throw wrong(
      ctx,
      `${place}.input_schema`,
      `has the field ${shown}, ${expected}`,
      'invalid_schema',
    )
  }
  const combined = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref'].find((keyword) =>
    Object.hasOwn(schema, keyword),
  )
  if (combined !== undefined) {
    const expected = "models' providers take properties there, expected it within a property"
    throw wrong(
      ctx,
      `${place}.input_schema`,
      `has ${combined} at its root, ${expected}`,
      'invalid_schema',
    )
  }
  checkPlaces(ctx, place, { inPath, query, fields, hasBody: kind !== 'none', method })
  const places: HttpRequest['places'] = [
    ...[...new Set(inPath)].map((field) => ({ argument: field, in: 'path' as const, name: field })),
    ...query.map((field) => ({
      argument: field,
      in: 'query' as const,
      name: field,
      packsObjects: true as const,
    })),
  ]
  const body: Body | undefined = kind === 'none' ? undefined : { kind, mediaType: mediaTypes[kind] }
  const request = { method, path, places, ...(body && { body }) }
  const { description } = pinned
  const input_schema = withItems(pinned.input_schema) as HttpTool['input_schema']
  const hash = hashAction({ description, input_schema, request })
  return { name, description, input_schema, request, hash }
}

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' }

function checkPath(ctx: Context, param: string, path: string): void {
  const expected = 'expected a path such as /orders/{id}'
  if (!path.startsWith('/') || path.startsWith('//')) {
    throw wrong(ctx, param, `does not start with one /, ${expected}`)
  }
  if (!/^[\x21-\x7e]+$/.test(path) || path.includes('\\')) {
    throw wrong(
      ctx,
      param,
      `holds white space, a backslash or a character beyond ASCII, ${expected}`,
    )
  }
  if (/[?#]/.test(path)) {
    throw wrong(ctx, param, `holds ? or #, ${expected}; fields of the query are listed in query`)
  }
  if (hasDotSegment(path)) throw wrong(ctx, param, `climbs with . or .., ${expected}`)
  if (/[{}]/.test(path.replaceAll(/\{[^{}/]+\}/g, ''))) {
    throw wrong(ctx, param, `has a brace that is not closed or encloses nothing, ${expected}`)
  }
}

interface Places {
  inPath: string[]
  query: string[]
  fields: string[]
  hasBody: boolean
  method: string
}

function checkPlaces(
  ctx: Context,
  place: string,
  { inPath, query, fields, hasBody, method }: Places,
): void {
  const lost = inPath.find((field) => !fields.includes(field))
  if (lost !== undefined) {
    throw wrong(ctx, `${place}.path`, `has {${lost}}, which is no property of input_schema`)
  }
  for (const [index, field] of query.entries()) {
    const param = `${place}.query[${index}]`
    if (!fields.includes(field)) throw wrong(ctx, param, `is ${field}, no property of input_schema`)
    if (inPath.includes(field)) throw wrong(ctx, param, `is ${field}, which is part of the path`)
    if (query.indexOf(field) !== index)
      throw wrong(ctx, param, `is ${field}, which is listed before`)
  }
  if (hasBody) return
  const placeless = fields.find((field) => !inPath.includes(field) && !query.includes(field))
  if (placeless === undefined) return
  const why = `has the field ${placeless} without a place: a ${method} without a body sends path and query alone, name it there or set body`
  throw wrong(ctx, `${place}.input_schema`, why)
}

/** Adds `items` to lists without any, which some providers refuse. */
function withItems(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withItems)
  if (typeof part !== 'object' || part === null) return part
  const entries = Object.entries(part).map(([keyword, value]) =>
    ['enum', 'const', 'default', 'examples'].includes(keyword)
      ? [keyword, value]
      : [keyword, withItems(value)],
  )
  const schema = Object.fromEntries(entries) as { type?: unknown; items?: unknown }
  const isBare = [schema.type].flat().includes('array') && !('items' in schema)
  return isBare ? { ...schema, items: {} } : schema
}

/** A schema for an action that names none. */
function textsFor(fields: string[]): Record<string, unknown> {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    required: [...new Set(fields)],
    additionalProperties: false,
  }
}

function wrong(
  ctx: Context,
  param: string,
  why: string,
  code: 'invalid_value' | 'invalid_schema' = 'invalid_value',
): Error {
  return cannot(ctx, code, `${param} ${why}`.slice(0, 1_000), { param })
}
