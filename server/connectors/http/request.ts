/**
 * How the arguments of an action become an HTTP request. An action is pinned with the places of its
 * arguments; this file fills them in. The request never leaves the base address: an argument is one
 * part of the path, encoded, and one that could climb is refused.
 */
export interface HttpRequest {
  method: HttpMethod
  /** Below the base address; starts with a slash, `{name}` stands for an argument. */
  path: string
  /** Parts of the query that never change. */
  query?: [name: string, value: string][]
  places: Place[]
  body?: Body
}

export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type HttpMethod = (typeof httpMethods)[number]

/** Where an argument goes, other than into the body. */
export interface Place {
  argument: string
  in: 'path' | 'query' | 'header'
  /** Its name in the request. */
  name: string
  style?: Style
  explode?: boolean
  /** Sent as JSON. */
  json?: true
  /** Objects are sent as JSON; otherwise their keys would become parameters of their own. */
  packsObjects?: true
  /** An empty text is not sent. */
  skipEmpty?: true
}

export type Style =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'

/** Takes the arguments without another place. */
export interface Body {
  kind: 'json' | 'form' | 'multipart' | 'text'
  mediaType: string
  /** The argument that is the whole body. */
  whole?: string
  /** Names of fields that differ from those of their arguments. */
  names?: Record<string, string>
  /** How lists and objects of a form are written, by field. */
  encodings?: Record<string, { style?: Style; explode?: boolean }>
  /** Not sent if it would be empty. */
  optional?: true
}

export interface BuiltRequest {
  url: string
  headers: Record<string, string>
  body?: string
}

/** The arguments cannot be sent; the reason is for the agent. */
export class UnsendableError extends Error {
  override readonly name = 'UnsendableError'
}

type Fields = Record<string, unknown>
type Pair = [name: string, value: string]

const maxUrlLength = 16_000

/** Throws `UnsendableError`. `query` is added by the connection and wins over arguments. */
export function buildRequest(
  baseUrl: string,
  { method, path, query: fixed = [], places, body }: HttpRequest,
  input: Fields,
  query: readonly Pair[] = [],
): BuiltRequest {
  const given = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const take = (place: Place): unknown => {
    const value = given.get(place.argument)
    given.delete(place.argument)
    return value
  }
  const taken = places.map((place) => ({ place, value: take(place) }))
  const inPath = new Map(
    taken.flatMap(({ place, value }) =>
      place.in === 'path' ? [[place.name, pathText(place, value)] as const] : [],
    ),
  )
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    return inPath.get(name) ?? whole
  })
  const pairs = taken.flatMap(({ place, value }) =>
    place.in === 'query' ? queryPairs(place, value) : [],
  )
  const own = new Set(query.map(([name]) => name))
  const search = [...[...fixed, ...pairs].filter(([name]) => !own.has(name)), ...query]
  const headers = Object.fromEntries(
    taken.flatMap(({ place, value }) =>
      place.in === 'header' && value != null ? [[place.name, headerText(place, value)]] : [],
    ),
  )
  const sent = writeBody(method, body, given)
  return {
    url: within(baseUrl, filled, encodePairs(search)),
    headers: { ...headers, ...sent?.headers },
    ...(sent !== undefined && { body: sent.body }),
  }
}

/** The address of a path below the base address; throws if it were any other. */
function within(baseUrl: string, path: string, search: string): string {
  const base = new URL(baseUrl)
  const start = base.pathname.replace(/\/+$/, '')
  if (hasDotSegment(path)) throw new UnsendableError('the path would leave the base address')
  const url = new URL(base.origin + start + path + (search === '' ? '' : `?${search}`))
  const isInside = url.origin === base.origin && url.pathname.startsWith(`${start}/`)
  if (!isInside) throw new UnsendableError('the path would leave the base address')
  if (url.href.length > maxUrlLength) {
    throw new UnsendableError(`the address would have more than ${maxUrlLength} characters`)
  }
  return url.href
}

/** Whether a path has `.` or `..` as a part, also encoded or with backslashes. */
export function hasDotSegment(path: string): boolean {
  return path.split(/[/\\]|%2f|%5c/i).some((part) => /^(?:\.|%2e){1,2}$/i.test(part))
}

function pathText(
  { argument, name, style = 'simple', explode = false, json }: Place,
  value: unknown,
): string {
  if (value === undefined || value === null)
    throw new UnsendableError(`${argument} is required, it is part of the path`)
  const texts = json === true ? [JSON.stringify(value)] : partsOf(value, explode)
  for (const text of texts) {
    if (text === '') throw new UnsendableError(`${argument} is empty, but part of the path`)
    if (hasDotSegment(text)) {
      throw new UnsendableError(`${argument} holds . or .. as a part of a path, which is not sent`)
    }
  }
  const encoded = texts.map(encode)
  if (encoded.length === 0) throw new UnsendableError(`${argument} is empty, but part of the path`)
  if (style === 'label') return `.${encoded.join(explode ? '.' : ',')}`
  if (style !== 'matrix') return encoded.join(',')
  const isKeyed = explode && typeof value === 'object' && !Array.isArray(value)
  if (isKeyed) return encoded.map((one) => `;${one}`).join('')
  return explode
    ? encoded.map((one) => `;${name}=${one}`).join('')
    : `;${name}=${encoded.join(',')}`
}

/** The texts of a list or object in a simple style; of an object that explodes, `key=value`. */
function partsOf(value: unknown, explode: boolean): string[] {
  if (Array.isArray(value)) return value.map(textOf)
  if (!isObject(value)) return [textOf(value)]
  return entriesOf(value).flatMap(([key, item]) =>
    explode ? [`${key}=${textOf(item)}`] : [key, textOf(item)],
  )
}

function headerText({ argument, explode = false, json }: Place, value: unknown): string {
  const text = json === true ? JSON.stringify(value) : partsOf(value, explode).join(',')
  // Anything else could end the header or is read differently by servers.
  if (!/^[\x20-\x7e]*$/.test(text)) {
    throw new UnsendableError(`${argument} goes into a header, which takes printable ASCII only`)
  }
  return text
}

function queryPairs(place: Place, value: unknown): Pair[] {
  if (value === undefined || value === null) return []
  if (value === '' && place.skipEmpty === true) return []
  const isPacked = place.json === true || (place.packsObjects === true && isObject(value))
  if (isPacked) return [[place.name, JSON.stringify(value)]]
  return formPairs(place.name, value, place)
}

function formPairs(
  name: string,
  value: unknown,
  { style = 'form', explode = style === 'form' }: { style?: Style; explode?: boolean },
): Pair[] {
  if (style === 'deepObject') return deepPairs(name, value)
  if (Array.isArray(value)) {
    if (value.length === 0) return []
    if (explode) return value.map((item) => [name, textOf(item)])
    const joint = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','
    return [[name, value.map(textOf).join(joint)]]
  }
  if (!isObject(value)) return [[name, textOf(value)]]
  const entries = entriesOf(value)
  if (explode) return entries.map(([key, item]) => [key, textOf(item)])
  return entries.length === 0
    ? []
    : [[name, entries.flatMap(([key, item]) => [key, textOf(item)]).join(',')]]
}

/** `name[key][other]=value`, and `name[0]=value` for lists. */
function deepPairs(name: string, value: unknown): Pair[] {
  if (value === null || value === undefined) return []
  if (typeof value !== 'object') return [[name, textOf(value)]]
  return Object.entries(value).flatMap(([key, item]) => deepPairs(`${name}[${key}]`, item))
}

function writeBody(
  method: HttpMethod,
  body: Body | undefined,
  rest: Map<string, unknown>,
): { body: string; headers: Record<string, string> } | undefined {
  if (body === undefined) {
    const [lost] = rest.keys()
    if (lost === undefined) return undefined
    throw new UnsendableError(`${lost.slice(0, 100)} has no place in a ${method} without a body`)
  }
  const { kind, mediaType, whole, names = {}, encodings = {} } = body
  const value =
    whole === undefined
      ? Object.fromEntries(
          [...rest].map(([key, item]) => [Object.hasOwn(names, key) ? names[key] : key, item]),
        )
      : rest.get(whole)
  const isEmpty = value === undefined || (whole === undefined && rest.size === 0)
  if (isEmpty && body.optional === true) return undefined
  const headers = { 'content-type': mediaType }
  if (kind === 'json') return { body: JSON.stringify(value ?? null), headers }
  if (kind === 'text') return { body: textOf(value), headers }
  const fields = isObject(value) ? entriesOf(value) : []
  const pairs = fields.flatMap(([name, item]) => {
    const encoding = Object.hasOwn(encodings, name) ? encodings[name] : undefined
    const value = isObject(item) && encoding === undefined ? JSON.stringify(item) : item
    return formPairs(name, value, encoding ?? {})
  })
  if (kind === 'form') return { body: encodePairs(pairs).replaceAll('%20', '+'), headers }
  const boundary = `muster-${crypto.randomUUID()}`
  return {
    body: `${pairs.map((pair) => formPart(boundary, pair)).join('')}--${boundary}--\r\n`,
    headers: { 'content-type': `${mediaType}; boundary=${boundary}` },
  }
}

function formPart(boundary: string, [name, value]: Pair): string {
  const quoted = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  return `--${boundary}\r\ncontent-disposition: form-data; name="${quoted}"\r\n\r\n${value}\r\n`
}

export function encodePairs(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
}

/** Percent-encodes all but unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : `${value as number | boolean}`
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined && item !== null)
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
