import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashOf, isCached, notModified } from '../entity-tags.ts'

/** A text that is sent many times: compressed once, and not sent to clients that have it cached. */
export interface StoredFile {
  type: string
  etag: string
  /** By content coding; `identity` always exists. */
  bodies: Partial<Record<Coding, Buffer>>
}

export type Coding = 'br' | 'gzip' | 'identity'

export async function storeFile(type: string, text: string): Promise<StoredFile> {
  const identity = Buffer.from(text)
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    promisify(gzip)(identity),
  ])
  return { type, etag: hashOf(identity), bodies: { br, gzip: zipped, identity } }
}

/**
 * Sets the headers and returns the body in the best coding that the client accepts; an empty one if
 * the client has it cached.
 */
export function prepareStored(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
): Buffer | Readable | undefined {
  const { headers } = request
  const coding = chooseCoding(headers['accept-encoding'], file)
  const etag = `"${file.etag}-${coding}"`
  reply.headers({ etag, vary: 'accept-encoding' })
  if (isCached(request, etag)) return notModified(reply)
  if (coding !== 'identity') reply.header('content-encoding', coding)
  reply.type(file.type)
  return file.bodies[coding]
}

function chooseCoding(accepted: string | undefined, { bodies }: StoredFile): Coding {
  const wanted = new Set(
    (accepted ?? '')
      .split(',')
      .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
      .map((part) => part.split(';', 1)[0]?.trim()),
  )
  if (wanted.has('br') && bodies.br !== undefined) return 'br'
  return wanted.has('gzip') && bodies.gzip !== undefined ? 'gzip' : 'identity'
}
