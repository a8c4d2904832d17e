import { pipeline } from 'node:stream/promises'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'

type Decompressor = (body: Buffer, isCut: boolean) => NodeJS.ReadWriteStream

/** A cut input yields what it has; otherwise an early end is an error. */
const zlib = (isCut: boolean) => (isCut ? { finishFlush: constants.Z_SYNC_FLUSH } : {})
const gunzip: Decompressor = (_, isCut) => createGunzip(zlib(isCut))
const decompressors: Record<string, Decompressor | undefined> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  // Some servers leave out the zlib header (RFC 1950), whose two bytes are a multiple of 31.
  deflate: (body, isCut) =>
    body.length > 1 && body.readUInt16BE(0) % 31 === 0
      ? createInflate(zlib(isCut))
      : createInflateRaw(zlib(isCut)),
  br: (_, isCut) =>
    createBrotliDecompress(isCut ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {}),
  zstd: (_, isCut) => createZstdDecompress(isCut ? { finishFlush: constants.ZSTD_e_flush } : {}),
}

const maxCodings = 3

export interface Decompressed {
  body: Buffer
  truncated: boolean
}

/**
 * Decompresses a body by its `Content-Encoding`, up to `maxBytes`; the rest is discarded. The
 * message of an error completes "the page …".
 */
export async function decompress(
  given: Decompressed,
  contentEncoding: string,
  maxBytes: number,
): Promise<Decompressed> {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > maxCodings) throw new Error(`is compressed more than ${maxCodings} times`)
  let answer = given
  for (const coding of codings.toReversed()) answer = await undo(answer, coding, maxBytes)
  return answer
}

async function undo(
  { body, truncated }: Decompressed,
  coding: string,
  maxBytes: number,
): Promise<Decompressed> {
  const create = Object.hasOwn(decompressors, coding) ? decompressors[coding] : undefined
  if (create === undefined) throw new Error(`is compressed as ${JSON.stringify(coding)}`)
  const parts: Buffer[] = []
  let left = maxBytes
  let isCut = truncated
  if (body.length === 0) return { body, truncated }
  try {
    await pipeline([body], create(body, truncated), async (stream: AsyncIterable<Buffer>) => {
      for await (const part of stream) {
        parts.push(part.subarray(0, left))
        isCut ||= part.length > left
        left -= Math.min(left, part.length)
        if (isCut && left === 0) break
      }
    })
  } catch (error) {
    // A stream that is not read to its end fails as well.
    const isFull = isCut && left === 0
    if (!isFull) throw new Error(`is no valid ${coding}`, { cause: error })
  }
  return { body: Buffer.concat(parts), truncated: isCut }
}
