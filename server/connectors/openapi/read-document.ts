import { upgrade } from '@scalar/openapi-upgrader'
import { createHash } from 'node:crypto'
import { parse as parseYaml } from 'yaml'
import { nearest } from '../../nearest.ts'
import { isStorableJson, visibleText } from '../../safe-text.ts'
import { isDeeperThan } from '../../json-limits.ts'
import { canonical } from '../../tools/contract.ts'
import { hasDotSegment, httpMethods, type HttpMethod, type HttpRequest } from '../http/request.ts'
import { readArguments, type Arguments, type TakenNames } from './arguments.ts'
import { TooManyParts } from './expand-schema.ts'
import { fieldOf, isObject, NotOffered, resolve, type Fields } from './resolve.ts'

/**
 * A task for the sandbox: the operations of an OpenAPI document, each with its arguments and where
 * they go in a request, or with the reason why agents cannot be offered it. The document is a
 * stranger's: its size, depth, references and names are bounded.
 */
export interface DocumentToRead {
  text: string
  /** Names of the operations that agents are offered; without it, no operation is read. */
  pick?: { only?: string[]; except?: string[] }
  taken?: TakenNames
}

export type ReadDocument =
  | { kind: 'refused'; why: string }
  | {
      kind: 'read'
      title: string
      version: string
      /** The first server's address, as it is written. */
      server: string | undefined
      operations: ReadOperation[]
      /** Operations of the document, listed or not. */
      total: number
      /** Picked names that the document does not have. */
      unknown: { name: string; nearest: string[] } | undefined
    }

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

/** Values, with the repeated ones of YAML's aliases counted each time. */
const maxParts = 2_000_000
const maxNesting = 150
const maxOperations = 10_000
const maxListed = 1_000
const maxSchemaBytes = 32 * 1024
const maxDescription = 1_024
/** Steps in which a schema that is too large is made smaller. */
const sizes = [
  { depth: 8, isTerse: false },
  { depth: 8, isTerse: true },
  { depth: 3, isTerse: true },
  { depth: 1, isTerse: true },
]

const noNames: TakenNames = { headers: [], query: [] }

class Refused extends Error {}

export function readDocument({ text, pick, taken = noNames }: DocumentToRead): ReadDocument {
  try {
    const document = upgradeTo31(parse(text))
    const head = { ...titleOf(document), server: serverOf(document['servers']) }
    if (pick === undefined) {
      return { kind: 'read', ...head, operations: [], total: 0, unknown: undefined }
    }
    const found = [...operationsOf(document)]
    if (found.length === 0) throw new Refused('it has no operations')
    const names = new Map<string, number>()
    for (const { name } of found) names.set(name, (names.get(name) ?? 0) + 1)
    const wanted = new Set(pick.only ?? pick.except)
    const isPicked = ({ name }: Found): boolean =>
      pick.only === undefined ? !wanted.has(name) : wanted.has(name)
    const listed = [...found.filter(isPicked), ...found.filter((one) => !isPicked(one))]
    const kept = new Set(listed.slice(0, maxListed))
    const actions = new Set<string>()
    const operations = found
      .filter((one) => kept.has(one))
      .map((one) => {
        const read = readOperation(document, one, isPicked(one), taken)
        const isTwice = (names.get(one.name) ?? 0) > 1 || actions.has(read.action)
        actions.add(read.action)
        return isTwice ? refuse(read, 'the document has two operations of this name') : read
      })
    return {
      kind: 'read',
      ...head,
      operations,
      total: found.length,
      unknown: findUnknown([...wanted], [...names.keys()]),
    }
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', why: error.message }
    throw error
  }
}

function refuse(operation: ReadOperation, reason: string): ReadOperation {
  const { offer: _offer, ...rest } = operation
  return { ...rest, reason, hash: '' }
}

function parse(given: string): Fields {
  const text = given.replace(/^\uFEFF/, '')
  let value: unknown
  try {
    value = /^\s*\{/.test(text)
      ? JSON.parse(text)
      : parseYaml(text, { maxAliasCount: 1_000, logLevel: 'silent' })
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown reason'
    throw new Refused(`it is neither JSON nor YAML: ${visibleText(why).slice(0, 200)}`)
  }
  if (!isObject(value)) throw new Refused('it is no object')
  const over = countUp(value)
  if (over !== undefined) throw new Refused(over)
  if (isDeeperThan(value, maxNesting))
    throw new Refused(`it is nested more than ${maxNesting} levels deep`)
  return value
}

/** What is wrong with the parts of a document; undefined if nothing is. */
function countUp(value: Fields): string | undefined {
  let parts = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    parts += 1
    if (parts > maxParts) return `it has more than ${maxParts} values with its aliases followed`
    if (typeof one !== 'object' || one === null) continue
    if (Object.hasOwn(one, '__proto__')) return 'it has the key __proto__, which is never taken'
    for (const item of Object.values(one)) waiting.push(item)
  }
  return undefined
}

function upgradeTo31(given: Fields): Fields {
  const { openapi, swagger } = given
  const version = openapi ?? swagger
  const isKnown = typeof version === 'string' && /^(?:2\.0|3\.[01](?:\.|$))/.test(version)
  if (!isKnown) {
    const shown = typeof version === 'string' ? JSON.stringify(version.slice(0, 20)) : 'no version'
    throw new Refused(`it names ${shown}, expected openapi 3.0 or 3.1`)
  }
  try {
    return upgrade(given, '3.1')
  } catch {
    throw new Refused('it is no valid OpenAPI document')
  }
}

function titleOf({ info }: Fields): { title: string; version: string } {
  const [title, version] = ['title', 'version'].map((name) => {
    const text = fieldOf(info, name)
    return typeof text === 'string'
      ? visibleText(text.slice(0, 1_000)).slice(0, 200).toWellFormed()
      : ''
  })
  return { title: title ?? '', version: version ?? '' }
}

/** The first server with the defaults of its variables. */
function serverOf(servers: unknown): string | undefined {
  const server: unknown = Array.isArray(servers) ? servers[0] : undefined
  const url = fieldOf(server, 'url')
  if (typeof url !== 'string') return undefined
  const variables = fieldOf(server, 'variables')
  return url.slice(0, 2_000).replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const value = fieldOf(fieldOf(variables, name), 'default')
    return typeof value === 'string' ? value : whole
  })
}

interface Found {
  name: string
  method: string
  path: string
  item: Fields
  operation: Fields
  /** The path item cannot be read. */
  reason?: string
}

function* operationsOf(document: Fields): Generator<Found> {
  const { paths } = document
  if (!isObject(paths)) return
  let count = 0
  for (const [path, given] of Object.entries(paths)) {
    if (path.startsWith('x-')) continue
    let item: unknown
    try {
      item = resolve(document, given)
    } catch {
      continue
    }
    if (!isObject(item)) continue
    for (const verb of ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']) {
      const operation = item[verb]
      if (!isObject(operation)) continue
      count += 1
      if (count > maxOperations) throw new Refused(`it has more than ${maxOperations} operations`)
      const method = verb.toUpperCase()
      const id = operation['operationId']
      const named = typeof id === 'string' && id.trim() !== '' ? visibleText(id).slice(0, 200) : ''
      const name =
        named.toWellFormed() || visibleText(`${method} ${path}`).slice(0, 300).toWellFormed()
      yield { name, method, path, item, operation }
    }
  }
}

function readOperation(
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

function findUnknown(
  wanted: string[],
  names: string[],
): { name: string; nearest: string[] } | undefined {
  const known = new Set(names)
  const name = wanted.find((one) => !known.has(one))
  return name === undefined ? undefined : { name, nearest: nearest(name, names) }
}

/** Addresses may differ by the scheme, where one leaves it out, and by a last slash. */
function isSameServer(one: string, other: string | undefined): boolean {
  if (other === undefined) return false
  const [first, second] = [one, other].map((url) => url.replace(/\/$/, ''))
  const bare = (url = '') => url.replace(/^https?:(?=\/\/)/, '')
  const isSchemeLeftOut = [first, second].some((url) => url?.startsWith('//'))
  return first === second || (isSchemeLeftOut && bare(first) === bare(second))
}
