import { createHash } from 'node:crypto'
import { isStorableJson, visibleText } from '../../safe-text.ts'
import { canonical } from '../../tools/contract.ts'
import { hasDotSegment, httpMethods, type HttpMethod, type HttpRequest } from '../http/request.ts'
import { readArguments, type Arguments, type TakenNames } from './arguments.ts'
import { TooManyParts } from './expand-schema.ts'
import { fieldOf, NotOffered, type Fields } from './resolve.ts'

/**
 * One operation of a document: its arguments and where they go in a request, or the reason why agents cannot be offered
 * it.
 */
export interface ReadOperation {
  /** Its `operationId`, else `METHOD /path`. */
  name: string
  /** The action of the connector. */
  action: string
  method: string
  path: string
  description: string
  isPicked: boolean
  /** Why it cannot be offered. */
  reason?: string
  /** Only of picked operations that can be offered. */
  offer?: { input_schema: Fields; request: HttpRequest }
  hash: string
}

/** An operation as the document has it. */
export interface Found {
  name: string
  method: string
  path: string
  item: Fields
  operation: Fields
}

const maxSchemaBytes = 32 * 1024
const maxDescription = 1_024
/** Steps in which a schema that is too large is made smaller. */
const sizes = [
  { depth: 8, isTerse: false },
  { depth: 8, isTerse: true },
  { depth: 3, isTerse: true },
  { depth: 1, isTerse: true },
]

export function readOperation(
  document: Fields,
  { name, method, path, item, operation }: Found,
  isPicked: boolean,
  taken: TakenNames,
): ReadOperation {
  const read: ReadOperation = {
    name,
    action: actionOf(name),
    method,
    path: visibleText(path.slice(0, 500)),
    description: descriptionOf(operation) || `${method} ${path}`.slice(0, 500).toWellFormed(),
    isPicked,
    hash: '',
  }
  try {
    const offer = offerOf(document, { method, path, item, operation }, taken)
    if (!isStorableJson(JSON.stringify(offer))) {
      throw new NotOffered('its arguments hold a NUL or an unpaired surrogate')
    }
    const hash = createHash('sha256')
      .update(canonical({ description: read.description, ...offer }))
      .digest('hex')
    return { ...read, hash, ...(isPicked && { offer }) }
  } catch (error) {
    if (error instanceof NotOffered) return { ...read, reason: visibleText(error.message) }
    if (error instanceof RangeError)
      return { ...read, reason: 'its arguments are nested too deeply' }
    throw error
  }
}

function offerOf(
  document: Fields,
  { method, path: written, item, operation }: Omit<Found, 'name'>,
  taken: TakenNames,
): { input_schema: Fields; request: HttpRequest } {
  if (!isHttpMethod(method)) throw new NotOffered(`its method is ${method}, which is not sent`)
  // A fragment only tells paths apart that are otherwise the same.
  const [path = '', search = ''] = (written.split('#')[0] ?? '').split('?')
  checkPath(path)
  const query = [...new URLSearchParams(search)]
  checkServers(document, item, operation)
  const parameters = [item['parameters'], operation['parameters']].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  )
  const isRead = method === 'GET' || method === 'HEAD'
  const requestBody = isRead ? undefined : operation['requestBody']
  for (const size of sizes) {
    const read = tryRead(() =>
      readArguments(document, { method, parameters, requestBody }, taken, size),
    )
    if (read === undefined) continue
    const { schema, places, body } = read
    if (Buffer.byteLength(JSON.stringify(schema)) > maxSchemaBytes) continue
    const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
    const known = places.filter((place) => place.in === 'path').map(({ name }) => name)
    const missing = inPath.find((name) => !known.includes(name))
    if (missing !== undefined) {
      throw new NotOffered(`its path has {${missing.slice(0, 80)}}, for which it has no parameter`)
    }
    const used = places.filter((place) => place.in !== 'path' || inPath.includes(place.name))
    return {
      input_schema: schema,
      request: {
        method,
        path,
        ...(query.length > 0 && { query }),
        places: used,
        ...(body && { body }),
      },
    }
  }
  throw new NotOffered(`its arguments have a schema of more than ${maxSchemaBytes / 1024} KB`)
}

/** Undefined if the schemas have too many parts, so that a smaller size is tried. */
function tryRead(read: () => Arguments): Arguments | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof TooManyParts) return undefined
    throw error
  }
}

function isHttpMethod(method: string): method is HttpMethod {
  return (httpMethods as readonly string[]).includes(method)
}

function checkPath(path: string): void {
  if (!path.startsWith('/') || path.startsWith('//'))
    throw new NotOffered('its path does not start with one /')
  if (path.length > 500) throw new NotOffered('its path has more than 500 characters')
  if (!/^[\x21-\x7e]+$/.test(path) || /[\\?#]/.test(path)) {
    throw new NotOffered('its path holds a character that a path cannot have')
  }
  if (hasDotSegment(path)) throw new NotOffered('its path climbs with . or ..')
}

/** An operation with a server of its own may belong to another host. */
function checkServers({ servers: all }: Fields, item: Fields, operation: Fields): void {
  const own = operation['servers'] ?? item['servers']
  if (!Array.isArray(own) || own.length === 0) return
  const [mine, general] = [serverOf(own), serverOf(all)]
  if (mine === undefined || isSameServer(mine, general)) return
  throw new NotOffered(
    `it has a server of its own, ${JSON.stringify(visibleText(mine).slice(0, 100))}, and calls go to base_url alone`,
  )
}

function descriptionOf({ summary, description }: Fields): string {
  const parts = [summary, description].filter(
    (part) => typeof part === 'string' && part.trim() !== '',
  )
  const unique = [...new Set((parts as string[]).map((part) => part.slice(0, 4_000).trim()))]
  return visibleText(unique.join('\n\n')).slice(0, maxDescription).toWellFormed()
}

/** The name as the action of a connector, which has no white space. */
function actionOf(name: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}$/.test(name)) return name
  const plain = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').replaceAll(/^[_.]+|[_.]+$/g, '')
  return plain.slice(0, 128) || 'operation'
}

/** Addresses may differ by the scheme, where one leaves it out, and by a last slash. */
function isSameServer(one: string, other: string | undefined): boolean {
  if (other === undefined) return false
  const [first, second] = [one, other].map((url) => url.replace(/\/$/, ''))
  const bare = (url = '') => url.replace(/^https?:(?=\/\/)/, '')
  const isSchemeLeftOut = [first, second].some((url) => url?.startsWith('//'))
  return first === second || (isSchemeLeftOut && bare(first) === bare(second))
}

/** The first server with the defaults of its variables. */
export function serverOf(servers: unknown): string | undefined {
  const server: unknown = Array.isArray(servers) ? servers[0] : undefined
  const url = fieldOf(server, 'url')
  if (typeof url !== 'string') return undefined
  const variables = fieldOf(server, 'variables')
  return url.slice(0, 2_000).replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const value = fieldOf(fieldOf(variables, name), 'default')
    return typeof value === 'string' ? value : whole
  })
}
