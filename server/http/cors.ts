import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

/** What pages of other origins may read beside the body. */
const exposedHeaders = [
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
  'Idempotent-Replayed',
  'ETag',
]
/** The longest that browsers keep the answer to a preflight. */
const maxAgeSeconds = 7_200

/** Lets pages of the named origins ask with a key; cookies stay out of it. */
export async function addCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  await app.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders,
    maxAge: maxAgeSeconds,
    strictPreflight: false,
  })
}
