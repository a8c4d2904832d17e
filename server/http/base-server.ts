import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cannot, DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import { sendError, answerClientError, answerUnroutable } from './errors.ts'
import { actionOf } from './request.ts'
import { badSetting } from '../config-error.ts'

/** Shared by the API server and the metrics server: request ids, error responses. */
export const baseOptions = {
  requestIdHeader: false,
  genReqId: ({ headers }: IncomingMessage) => requestId(headers['x-request-id']),
  frameworkErrors: answerUnroutable,
  clientErrorHandler: answerClientError,
  // On close, idle connections are closed at once; responses in progress are completed.
  forceCloseConnections: 'idle',
} as const

export function addBasics(app: FastifyInstance): void {
  app.setErrorHandler(sendError)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' })
    refuseHeaders(request)
  })
  refuseUnknownRoutes(app)
}

const hostName = /^(?:[\w.~%!$&'()*+,;=-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Refuses headers on which proxies and servers could disagree, and bodies that nothing here decodes. */
function refuseHeaders(request: FastifyRequest): void {
  const { raw, headers } = request
  const action = actionOf(request)
  const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  const { host = '', 'content-encoding': encoding = 'identity' } = headers
  if (hosts.length > 1 || (hosts.length === 1 && !hostName.test(host))) {
    const found =
      hosts.length > 1 ? 'there are several' : `${JSON.stringify(host.slice(0, 100))} is none`
    throw cannot(
      { action },
      'invalid_request',
      `expected one Host header with a host name, ${found}`,
    )
  }
  const hasBody = raw.method !== 'GET' && raw.method !== 'HEAD'
  if (hasBody && encoding.trim().toLowerCase() !== 'identity' && encoding !== '') {
    const why = `Content-Encoding ${encoding.slice(0, 100)} is not decoded, send the body as it is`
    throw cannot({ action }, 'unsupported_media_type', why)
  }
}

function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : newId('req')
}

/** Answers 404 for unknown paths, and 405 with `Allow` for known paths with another method. */
function refuseUnknownRoutes(app: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.getOrInsertComputed(url, () => new Set())
    for (const name of [method].flat()) methods.add(name)
  })
  const refuse = (request: FastifyRequest, reply: FastifyReply): void => {
    const path = request.url.split('?', 1)[0] as string
    const matching = [...methodsOf].filter(([url]) => matches(url, path))
    // `/v1/hooks/preview` is also a `/v1/hooks/:id`, but no hook has this id.
    const fewest = Math.min(...matching.map(([url]) => parametersOf(url)))
    const routes = matching.filter(([url]) => parametersOf(url) === fewest)
    const allowed = new Set(routes.flatMap(([, methods]) => [...methods]))
    // The method is allowed, so the path does not match this route after all, for example because
    // its id is too long.
    if (allowed.size === 0 || allowed.has(request.method)) {
      const asked = { action: `${request.method} ${path.slice(0, 200)}` }
      return sendError(cannot(asked, 'route_not_found', 'no such path'), request, reply)
    }
    const accepted = [...allowed].join(', ')
    reply.header('allow', accepted)
    const message = `Cannot ${request.method} this path, expected ${accepted}`
    return sendError(new DomainError('method_not_allowed', message), request, reply)
  }
  app.setNotFoundHandler(refuse)
  // At once, before Fastify reads the body or asks for its type.
  app.addHook('preParsing', (request, reply, _body, done) => {
    if (request.is404) refuse(request, reply)
    else done()
  })
}

function parametersOf(url: string): number {
  return url.split('/:').length - 1
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const parts = path.split('/')
  return (
    wanted.length === parts.length &&
    wanted.every(
      (part, index) => part === parts[index] || (part.startsWith(':') && parts[index] !== ''),
    )
  )
}

type Factory = ReturnType<typeof SerializerSelector>

/**
 * Builds each of Fastify's serializers at its first use: building all of them would slow down the
 * start.
 */
export const buildSerializer: Factory = (sharedSchemas, options) => {
  // Of several alternatives, the type decides; a format must not, for example of an unusual address.
  const ajv = { validateFormats: false }
  const compile = SerializerSelector()(sharedSchemas, { ...options, ajv })
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined
    return (answer: unknown) => {
      serialize ??= compile(route)
      return serialize(answer)
    }
  }
}

/**
 * Connections that may wait to be accepted, if the system allows that many. A client whose
 * connection is dropped retries after a second or more.
 */
const backlog = 4_096

/** Returns the address; throws a `ConfigError` that names the invalid setting. */
export async function listen(
  server: FastifyInstance,
  host: string,
  { name, port }: { name: 'PORT' | 'MUSTER_METRICS_PORT'; port: number },
): Promise<string> {
  try {
    return await server.listen({ host, port, backlog })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EADDRINUSE', 'EACCES'].includes(code)) {
      throw badSetting(name, String(port), `a port that is free and may be used`, error)
    }
    if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) {
      const accepted = 'an address of this machine, or a name of one'
      throw badSetting('HOST', JSON.stringify(host), accepted, error)
    }
    throw error
  }
}
