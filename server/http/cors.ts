import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

/** Response headers that pages of other origins may read. */
const exposedHeaders = [
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
  'Idempotent-Replayed',
  'ETag',
]
/** The longest that browsers cache the response to a preflight. */
const maxAgeSeconds = 7_200

/** Allows requests with an API key from pages of these origins; cookies are never sent. */
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
