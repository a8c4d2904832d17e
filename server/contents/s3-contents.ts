import { fullPieces } from './full-pieces.ts'
import { contentsLost, maxFileBytes, type ContentKey, type Contents } from './contents.ts'
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { DomainError } from '../errors.ts'
import type { GuardedTransport, OutboundResponse } from '../outbound/guarded-transport.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { S3Settings } from './s3-settings.ts'

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

/** Signed calls to an S3-compatible server: short, and retried while it is busy or unavailable. */
interface S3Call {
  method: 'GET' | 'PUT' | 'DELETE'
  /** Below the bucket and its prefix. */
  path: string
  headers?: Record<string, string>
  body?: Buffer<ArrayBuffer>
  /** Statuses that are results; others are errors. */
  expected: readonly number[]
  maxResponseBytes: number
}

export interface S3Client {
  settings: S3Settings
  transport: GuardedTransport
  /** Waits before a retry. */
  wait?: (ms: number) => Promise<unknown>
}

/** Three tries with their waits end before a request does. */
const timeoutMs = 15_000
const pausesMs = [300, 1_200]
/** Statuses of a server that is busy, or whose clock or network has a problem. */
const passing = [408, 429, 500, 502, 503, 504]

/** Fails with `files_unavailable` if the server cannot be used now. */
async function callS3(client: S3Client, call: S3Call): Promise<OutboundResponse> {
  const { wait = pause } = client
  for (const pauseMs of pausesMs) {
    const answer = await tryOnce(client, call)
    if (!(answer instanceof Failure)) return answer
    if (!answer.mayPass) throw unavailable(answer)
    await wait(pauseMs * (0.75 + Math.random() / 2))
  }
  const answer = await tryOnce(client, call)
  if (answer instanceof Failure) throw unavailable(answer)
  return answer
}

/** Why a call failed, for the log: it names the bucket. */
class Failure extends Error {
  readonly mayPass: boolean

  constructor(why: string, mayPass: boolean, cause?: unknown) {
    super(why, { cause })
    this.mayPass = mayPass
  }
}

async function tryOnce(client: S3Client, call: S3Call): Promise<OutboundResponse | Failure> {
  const { settings, transport } = client
  const { method, body, maxResponseBytes, expected } = call
  const url = `${settings.baseUrl}/${call.path}`
  const what = `${method} ${settings.name}/${call.path}`
  // Signed, so that the server rejects a body that was changed in transit.
  const hash = createHash('sha256')
    .update(body ?? '')
    .digest('hex')
  const { accessKeyId, secretAccessKey, region } = settings
  const signer = new AwsV4Signer({
    url,
    method,
    service: 's3',
    region,
    accessKeyId,
    secretAccessKey,
    headers: { ...call.headers, 'x-amz-content-sha256': hash },
  })
  const { headers } = await signer.sign()
  try {
    const answer = await transport.request(url, {
      method,
      headers: Object.fromEntries(headers),
      body,
      timeoutMs,
      maxResponseBytes,
      allowHttp: true,
    })
    const { status } = answer
    const [, code = ''] = /<Code>(\w{1,60})<\/Code>/.exec(answer.body.toString('latin1')) ?? []
    // Only a 404 for the object says that it is gone; a missing bucket may be temporary.
    const isAnswer = status === 404 ? code === 'NoSuchKey' : true
    if (isAnswer && expected.includes(status)) return answer
    return new Failure(
      `${what} was answered with ${status} ${code}`.trim(),
      passing.includes(status),
    )
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const isForGood = ['refused_address', 'tls', 'protocol', 'aborted'].includes(error.kind)
    return new Failure(`${what} failed: ${error.message}`, !isForGood, error)
  }
}

function unavailable(cause: Failure): DomainError {
  const message = 'Cannot reach the store of files: it is away, or refuses what the service asks'
  return new DomainError('files_unavailable', message, { retryAfterSeconds: 10, cause })
}
