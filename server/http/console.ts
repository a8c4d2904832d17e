import { readFile, readdir } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashOf } from './entity-tags.ts'
import { prepareStored, type Coding, type StoredFile } from './traffic/stored-file.ts'

/**
 * Serves the web console from memory at `/`: its built files as they are, and `index.html` for
 * every other path that a browser opens outside of the API. Files are compressed when they are
 * built; those under `/assets/` have a hash in their name and are cached by browsers forever.
 */
interface ConsoleFile extends StoredFile {
  cacheControl: string
}

const endings: readonly [string, Coding][] = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
]

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
}

/** Nothing inline, nothing from other hosts, never in a frame. */
const contentSecurityPolicy = [
  "default-src 'self'",
  // Images from an account's files, which the page fetches with the reader's session.
  "img-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ')

/** Paths of the API and of other programs: unknown ones are a 404, not the console. */
const reserved =
  /^\/(v1|docs|openapi\.json|healthz|readyz|metrics|mcp|a2a|hooks|slack|answer|assets|\.well-known)(\/|$)/

export async function addConsole(app: FastifyInstance, folder: string): Promise<void> {
  const files = await readFiles(folder)
  const index = files.get('/index.html')

  app.get('/*', { schema: { hide: true }, logLevel: 'warn' }, (request, reply) => {
    const path = request.url.split('?', 1)[0] as string
    const file = path === '/index.html' ? undefined : files.get(path)
    if (file !== undefined) return sendFile(request, reply, file)
    if (reserved.test(path) || (path !== '/' && !isNavigation(request))) return reply.callNotFound()
    if (index !== undefined) return sendFile(request, reply, index)
    return reply.code(404).type('text/plain; charset=utf-8').send(notBuilt)
  })
}

const notBuilt = `The console is not built. In the folder of Muster, run: npm run console:build
Then start Muster again. The API works all the same; its reference is at /docs.
`

/** Whether a browser opens the address: it then accepts HTML, while programs do not. */
function isNavigation({ headers: { accept } }: FastifyRequest): boolean {
  return accept?.includes('text/html') === true
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  reply.headers({
    'cache-control': file.cacheControl,
    'content-security-policy': contentSecurityPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  })
  return reply.send(prepareStored(request, reply, file))
}

/** Files by path; empty if the console is not built. */
async function readFiles(folder: string): Promise<Map<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const name = join(entry.parentPath, entry.name)
    const [ending, coding] = endings.find(([ending]) => name.endsWith(ending)) ?? ['', 'identity']
    const path = `/${relative(folder, name)
      .slice(0, -ending.length || undefined)
      .split(sep)
      .join('/')}`
    const body = await readFile(name)
    const file = files.get(path) ?? describeFile(path)
    file.bodies[coding] = body
    if (coding === 'identity') {
      file.etag = hashOf(body)
    }
    files.set(path, file)
  }
  return files
}

function describeFile(path: string): ConsoleFile {
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    etag: '',
    cacheControl: path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    bodies: {},
  }
}
