import { OutboundError } from '../../outbound/outbound-error.ts'
import type { OutboundResponse } from '../../outbound/guarded-transport.ts'
import { visibleText } from '../../safe-text.ts'
import type { ToolResult } from '../../tools/contract.ts'
import { decodeText } from '../web/decode-text.ts'
import { decompress } from '../web/decompress.ts'
import type { HttpCall } from './call.ts'

/** The answer of an HTTP API as the result of a call: text as such, everything else as a file. */
export interface HttpAnswer {
  status: number
  headers: OutboundResponse['headers']
  body: Buffer
  isCut: boolean
  /** Why a redirect was not followed. */
  refusedRedirect?: string
}

/** Limit of an answer's body; files of runs have the same. */
const maxBodyBytes = 10 * 1024 * 1024
/** A longer text becomes a file, and its head the output. */
const maxOutputBytes = 64 * 1024
const headCharacters = 16_000
const errorCharacters = 2_000

interface Streamed {
  status: number
  headers: OutboundResponse['headers']
  body: AsyncGenerator<Buffer, void>
}

/** Reads a body up to its limit; the rest is left out. */
export async function collect({ status, headers, body }: Streamed): Promise<HttpAnswer> {
  const parts: Buffer[] = []
  let size = 0
  let isCut = false
  try {
    for await (const part of body) {
      parts.push(part.subarray(0, maxBodyBytes - size))
      size += part.length
      isCut = size > maxBodyBytes
      if (isCut) break
    }
  } catch (error) {
    // The account has too many bytes in flight; the answer itself has come.
    if (!(error instanceof OutboundError) || error.kind !== 'too_large') throw error
    isCut = true
  }
  const coding = String(headers['content-encoding'] ?? '')
  const received = { body: Buffer.concat(parts), truncated: isCut }
  const plain = await decompress(received, coding, maxBodyBytes).catch(() => received)
  return { status, headers, body: plain.body, isCut: plain.truncated }
}

export async function toResult(
  answer: HttpAnswer,
  { request: { method }, isSafe }: HttpCall,
  masked: (text: string) => string,
): Promise<ToolResult> {
  const { status, headers, refusedRedirect } = answer
  if (status >= 200 && status < 300) return toOutput(answer, method, masked)
  const said = wordsOf(answer)
  const why = masked(`The API answered ${status}${said === '' ? '' : `: ${said}`}`)
  if (status >= 300 && status < 400) {
    const location = masked(visibleText(String(headers['location'] ?? ''))).slice(0, 500)
    const where =
      refusedRedirect ?? (location === '' ? '' : `to ${location}, which is not followed`)
    // Servers answer a form that they have processed with 302 or 303.
    const mayBeDone = !isSafe && (status === 302 || status === 303)
    const output = masked(`The API answered ${status}, a redirect ${where}`.trimEnd())
    return { status: mayBeDone ? 'unknown' : 'failed', output }
  }
  return { status: status >= 500 && !isSafe ? 'unknown' : 'failed', output: why }
}

function toOutput(
  { status, headers, body, isCut }: HttpAnswer,
  method: string,
  masked: (text: string) => string,
): ToolResult {
  const contentType = String(headers['content-type'] ?? '')
  const mediaType = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  if (body.length === 0) {
    const length = method === 'HEAD' ? headers['content-length'] : undefined
    const parts = [mediaType, length !== undefined && `${String(length)} bytes`].filter(Boolean)
    const about = method === 'HEAD' && parts.length > 0 ? ` (${parts.join(', ')})` : ', no content'
    return { status: 'succeeded', output: `${status}${about}` }
  }
  const text = isText(mediaType, body) ? decodeText(body, contentType, false) : undefined
  if (text === undefined) {
    const content = Buffer.from(masked(body.toString('latin1')), 'latin1')
    const kind = visibleText(mediaType).slice(0, 100) || 'unknown type'
    const output = `[${kind}, ${body.length} bytes${isCut ? ', cut' : ''}]`
    return { status: 'succeeded', output, file: { name: nameOf(headers, mediaType), content } }
  }
  const clean = masked(visibleText(text))
  const cut = isCut ? '\n\n[The answer has more than 10 MB; the rest was left out.]' : ''
  if (Buffer.byteLength(clean) <= maxOutputBytes && !isCut) {
    return { status: 'succeeded', output: clean }
  }
  const head = `${clean.slice(0, headCharacters).toWellFormed()}${cut}`
  const file = { name: nameOf(headers, mediaType || 'text/plain'), content: Buffer.from(clean) }
  return { status: 'succeeded', output: head, file }
}

function isText(mediaType: string, body: Buffer): boolean {
  if (mediaType === '') return !body.subarray(0, 4096).includes(0)
  return (
    mediaType.startsWith('text/') ||
    /^application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|ndjson|graphql|x-www-form-urlencoded)$/.test(
      mediaType,
    ) ||
    /\+(json|xml|yaml)$/.test(mediaType)
  )
}

/** The beginning of an error's body. */
function wordsOf({ headers, body }: HttpAnswer): string {
  const contentType = String(headers['content-type'] ?? '')
  const mediaType = (contentType.split(';')[0] ?? '').trim().toLowerCase()
  if (body.length === 0 || !isText(mediaType, body)) return ''
  const text = decodeText(body.subarray(0, 64 * 1024), contentType, false)
  return visibleText(text).trim().slice(0, errorCharacters).toWellFormed()
}

const endings: Record<string, string> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/markdown': 'md',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
}

/** The name that the server gives, or one by the media type. */
function nameOf(headers: OutboundResponse['headers'], mediaType: string): string {
  const disposition = String(headers['content-disposition'] ?? '')
  const named = /filename="?([^";]+)"?/i.exec(disposition)?.[1]?.trim()
  const ending = endings[mediaType] ?? (mediaType.endsWith('+json') ? 'json' : 'txt')
  const name = named === undefined ? '' : visibleText(named).replaceAll(/[/\\]/g, '_').slice(-100)
  return name === '' ? `answer.${ending}` : name
}
