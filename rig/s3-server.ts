import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closeServer, listenOnLoopback } from './loopback.ts'

/**
 * For tests only: the bucket `files` on loopback, in memory. It verifies each signature (AWS
 * Signature Version 4, headers) and the hash of each body with its own code, following AWS's
 * documentation: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export interface S3Server extends AsyncDisposable {
  url: string
  /** Bytes by `bucket/key`. */
  objects: Map<string, Buffer>
  /** Such as `GET bucket/key`, in order of arrival. */
  requests: string[]
  /** Handles a request in place of the server; undefined to answer normally afterwards. */
  trouble: ((request: string, response: ServerResponse) => Trouble | Promise<Trouble>) | undefined
}

type Trouble = 'taken' | undefined

export const s3Keys = { accessKeyId: 'AKIDTEST', secretAccessKey: 'wJalr/XUtn+FEMI=K7MDENG' }
const maxSkewMs = 15 * 60_000

export async function startS3Server(): Promise<S3Server> {
  const state: Omit<S3Server, typeof Symbol.asyncDispose> = {
    url: '',
    objects: new Map(),
    requests: [],
    trouble: undefined,
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', headers } = request
    const url = new URL(request.url ?? '', `http://${headers.host}`)
    const [host = ''] = (headers.host ?? '').split(':')
    const sub = /^(.+)\.localhost$/.exec(host)?.[1]
    const path = decodeURIComponent(url.pathname.slice(1))
    const name = sub === undefined ? path : `${sub}/${path}`
    const what = `${method} ${name}`
    state.requests.push(what)
    const body = await buffer(request)
    if ((await state.trouble?.(what, response)) === 'taken') return
    const refuse = (status: number, code: string): void => {
      const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`
      response.writeHead(status, { 'content-type': 'application/xml' }).end(xml)
    }
    const wrong = whyRefused(request, url, body)
    if (wrong !== undefined) return refuse(wrong === 'XAmzContentSHA256Mismatch' ? 400 : 403, wrong)
    if (name.split('/')[0] !== 'files') return refuse(404, 'NoSuchBucket')
    const stored = state.objects.get(name)
    if (method === 'PUT') {
      state.objects.set(name, body)
      response.writeHead(200, { etag: `"${hash('md5', body)}"` }).end()
    } else if (method === 'DELETE') {
      state.objects.delete(name)
      response.writeHead(204).end()
    } else if (method !== 'GET') refuse(405, 'MethodNotAllowed')
    else if (stored === undefined) refuse(404, 'NoSuchKey')
    else {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
      if (first === undefined) return void response.writeHead(200).end(stored)
      if (Number(first) >= stored.length) return refuse(416, 'InvalidRange')
      const part = stored.subarray(Number(first), Number(last) + 1)
      const range = `bytes ${first}-${Number(first) + part.length - 1}/${stored.length}`
      response.writeHead(206, { 'content-range': range, 'content-length': part.length }).end(part)
    }
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  return Object.assign(state, {
    url: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    [Symbol.asyncDispose]: () => closeServer(server),
  })
}

function whyRefused(
  { method, headers }: IncomingMessage,
  url: URL,
  body: Buffer,
): string | undefined {
  const one = (name: string): string => String(headers[name] ?? '').trim()
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      one('authorization'),
    )
  if (given === null) return 'AccessDenied'
  const [, id, day = '', region = '', signedNames = '', signature] = given
  if (id !== s3Keys.accessKeyId) return 'InvalidAccessKeyId'
  const date = one('x-amz-date')
  const [, y, m, d, ...time] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? []
  const at = Date.parse(`${y}-${m}-${d}T${time.join(':')}Z`)
  if (!(Math.abs(Date.now() - at) < maxSkewMs) || !date.startsWith(day))
    return 'RequestTimeTooSkewed'
  const bodyHash = one('x-amz-content-sha256')
  if (bodyHash !== hash('sha256', body)) return 'XAmzContentSHA256Mismatch'
  const signed = signedNames.split(';')
  const mustBeSigned = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
  if (!mustBeSigned.every((name) => signed.includes(name))) return 'AccessDenied'
  const query = [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join('&')
  const canonical = [
    method,
    decodeURIComponent(url.pathname).split('/').map(escaped).join('/'),
    query,
    ...signed.map((name) => `${name}:${one(name).replaceAll(/ +/g, ' ')}`),
    '',
    signedNames,
    bodyHash,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', date, scope, hash('sha256', canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (before, part) => createHmac('sha256', before).update(part).digest(),
    `AWS4${s3Keys.secretAccessKey}`,
  )
  const expected = createHmac('sha256', key).update(text).digest('hex')
  return expected === signature ? undefined : 'SignatureDoesNotMatch'
}

function escaped(text: string): string {
  const upper = (character: string): string =>
    `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, upper)
}

function hash(algorithm: string, text: string | Buffer): string {
  return createHash(algorithm).update(text).digest('hex')
}
