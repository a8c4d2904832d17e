import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError, type ErrorCode } from '../errors.ts'
import { leaveToRate, arrivingBody } from '../http/traffic/arrival.ts'
import { actionOf } from '../http/request.ts'
import { checkRoom } from './limits.ts'
import { maxFileBytes } from '../contents/contents.ts'
import { fileName } from './name.ts'
import { dropContent } from './store.ts'
import { fileTooLarge, storeContent, type StoredContent } from './stored-content.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The stored file of the body; null if it has none, and after it became a file. */
    upload: StoredContent | null
  }
}

/** Room for boundaries and headers of parts. */
const maxBodyBytes = maxFileBytes + 64 * 1024

/**
 * Stores the file of a multipart body while it arrives, with a megabyte in memory at a time.
 * Handlers get a body with its name and hash, so that an Idempotency-Key compares both.
 */
export function addUploadBody(app: FastifyInstance): void {
  app.decorateRequest('upload', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'multipart/form-data',
    async (request: FastifyRequest, payload: IncomingMessage) => {
      const { ctx } = request
      const action = actionOf(request)
      if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw fileTooLarge(action)
      leaveToRate(payload)
      await checkRoom({ ...ctx, action }, ctx.database, 1)
      using _slot = await ctx.limits.fileUploads.take(ctx.accountId, action)
      const { accountId } = ctx
      const upload = await receiveFile(request, payload, (name, parts) =>
        storeContent(ctx, { accountId, action, name }, parts),
      )
      request.upload = upload
      return { file: `${upload.sha256} ${upload.name}` }
    },
  )
  app.addHook('onResponse', async ({ upload, services }) => {
    // The request was rejected, or answered from the stored response of its Idempotency-Key.
    if (upload !== null) await dropContent(services.database, upload.key, 'arriving')
  })
}

/** Streams the body's only part, `file`. */
async function receiveFile<T>(
  request: FastifyRequest,
  payload: IncomingMessage,
  take: (name: string, parts: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const action = actionOf(request)
  const refuse = (code: ErrorCode, why: string, param?: string) =>
    new DomainError(code, `Cannot ${action}: ${why}`, param === undefined ? {} : { param })
  const broken = (error: unknown) =>
    refuse('invalid_request', `the body is no multipart/form-data: ${(error as Error).message}`)
  const ending = new AbortController()
  const taken: { done: Promise<T>; stop: (error: Error) => void }[] = []
  const parser = createParser(request, broken)
  parser.on('file', (field: string | undefined, stream, name) => {
    if (field !== 'file' || taken.length > 0) {
      stream.resume()
      const param = field?.slice(0, 100)
      const part = param === undefined ? 'a part without a name' : `the part ${param}`
      const why =
        field === 'file'
          ? 'there is more than one part file, expected one'
          : `${part} is not expected, one with the name file is`
      ending.abort(refuse('unknown_field', why, param))
      return
    }
    stream.on('error', (error) => {
      // If the reader stopped, it has given the reason; else the body ended within the part.
      if (error.name !== 'AbortError') ending.abort(broken(error))
    })
    const done = take(fileName(name), stream)
    done.catch((error: unknown) => ending.abort(error))
    taken.push({ done, stop: (error) => stream.destroy(error) })
  })
  try {
    const source = arrivingBody(payload, action, { maxBytes: maxBodyBytes })
    await pipeline(Readable.from(source), parser, { signal: ending.signal })
  } catch (thrown) {
    const isKnown = thrown instanceof DomainError
    const error: unknown = ending.signal.aborted
      ? ending.signal.reason
      : isKnown
        ? thrown
        : broken(thrown)
    // Waits until nothing writes any more before the response.
    for (const { done, stop } of taken) {
      stop(error as Error)
      await done.catch(() => {})
    }
    if (error instanceof DomainError && error.code === 'body_too_large') throw fileTooLarge(action)
    throw error
  }
  const [file] = taken
  if (file === undefined) {
    throw refuse('required', 'file is required, a part of that name', 'file')
  }
  return await file.done
}

function createParser(request: FastifyRequest, broken: (error: unknown) => Error): BusboyInstance {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: { parts: 2, fields: 1, files: 2, fieldNameSize: 100, headerPairs: 50 },
      // Accepts a part without a file name.
      isPartAFile: () => true,
    })
  } catch (error) {
    throw broken(error)
  }
}
