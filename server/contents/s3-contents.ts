import { fullPieces } from './full-pieces.ts'
import { contentsLost, maxFileBytes, type ContentKey, type Contents } from './contents.ts'
import { callS3, type S3Client } from './s3-call.ts'

/**
 * Contents in a bucket: `account/content/0`, `/1` … of 4 MB each. Separate objects instead of a
 * multipart upload: the leftovers of a process that died are found by a deletion, permissions to
 * put, get and delete objects are enough, and every compatible server supports it.
 */
export class S3Contents implements Contents {
  readonly name: string
  readonly isDatabase = false
  readonly #client: S3Client

  constructor(client: S3Client) {
    this.name = client.settings.name
    this.#client = client
  }

  async put(key: ContentKey, parts: AsyncIterable<Uint8Array>): Promise<void> {
    let position = 0
    for await (const body of fullPieces(parts, pieceBytes)) {
      if (position === maxPieces) throw new Error('Contents have more pieces than are deleted')
      const headers = { 'content-type': 'application/octet-stream' }
      const path = pathOf(key, position++)
      const asked = {
        method: 'PUT',
        path,
        headers,
        body,
        expected: [200],
        maxResponseBytes,
      } as const
      await callS3(this.#client, asked)
    }
  }

  async *read(key: ContentKey, start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end;) {
      const position = Math.floor(at / pieceBytes)
      const from = at - position * pieceBytes
      const length = Math.min(end - at, pieceBytes - from, readBytes)
      const range = `${from}-${from + length - 1}`
      const { status, headers, body } = await callS3(this.#client, {
        method: 'GET',
        path: pathOf(key, position),
        headers: { range: `bytes=${range}` },
        expected: [200, 206, 404, 416],
        maxResponseBytes: readBytes,
      })
      // Some servers answer a range with 200, which is valid if they say which range it is.
      const isRange =
        status === 206 || String(headers['content-range']).startsWith(`bytes ${range}/`)
      if (!isRange || body.length !== length) {
        throw contentsLost(key, this.name, at, new Error(`answered with ${status}`))
      }
      yield body
      at += length
    }
  }

  async delete(key: ContentKey): Promise<void> {
    const positions = Array.from({ length: maxPieces }, (_, position) => position)
    await Promise.all(
      positions.map((position) => {
        const path = pathOf(key, position)
        const expected = [200, 204, 404]
        return callS3(this.#client, { method: 'DELETE', path, expected, maxResponseBytes })
      }),
    )
  }
}

/** Must never change, because it is the layout of stored contents. */
const pieceBytes = 4 * 1024 * 1024
const maxPieces = Math.ceil(maxFileBytes / pieceBytes)
/** Bytes per response, which is in memory as a whole. */
const readBytes = 1024 * 1024
const maxResponseBytes = 64 * 1024

function pathOf({ accountId, contentId }: ContentKey, position: number): string {
  return `${accountId}/${contentId}/${position}`
}
