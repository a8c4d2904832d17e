import { dialects } from './providers/built-ins.ts'

/**
 * The body of a failure, read: the provider's documented error, an error of a gateway before it, a framework's list of
 * problems, or plain text.
 */
export interface ErrorBody {
  /** The message as it was written; undefined where there is none. */
  words: string | undefined
  /** Codes and types, in lower case. */
  codes: string[]
  /** A status number in the body: gateways put errors inside an answer of 200. */
  status: number | undefined
  retryAfterMs: number | undefined
}

/** `body`: text, or what the SDK has parsed already. */
export function readErrorBody(body: unknown): ErrorBody {
  const value = typeof body === 'string' ? parse(body) : body
  const [whole] = Array.isArray(value) ? (value as unknown[]) : [value]
  const inner = field(whole, 'error')
  const levels = [inner, whole].filter((level) => typeof level === 'object' && level !== null)
  const said = levels.flatMap((level) =>
    ['code', 'type', 'status'].map((name) => field(level, name)),
  )
  const numbers = said.map(Number).filter((code) => code >= 400 && code < 600)
  return {
    words: wordsOf(inner) ?? wordsOf(whole) ?? plainText(body, value),
    codes: said.flatMap((code) => (typeof code === 'string' ? code.toLowerCase() : [])),
    status: numbers[0],
    retryAfterMs: retryDelayOf(inner) ?? retryDelayOf(whole),
  }
}

/** Whether the body of an answer with a success status is an error after all. */
export function isErrorBody(body: unknown): boolean {
  const value = typeof body === 'string' ? parse(body) : body
  const [whole] = Array.isArray(value) ? (value as unknown[]) : [value]
  const isNamed = [field(whole, 'object'), field(whole, 'type')].includes('error')
  return isNamed || ['error', 'errors', 'detail'].some((name) => field(whole, name) !== undefined)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const maxProblems = 3

function wordsOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (Array.isArray(value)) {
    const words = (value as unknown[]).slice(0, maxProblems).flatMap((item) => wordsOf(item) ?? [])
    return words.length === 0 ? undefined : words.join('; ')
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const name of [
    'message',
    'msg',
    'detail',
    'errors',
    'error',
    'error_description',
    'title',
  ]) {
    const words = wordsOf(field(value, name))
    if (words !== undefined) return words
  }
  return undefined
}

/** Skips HTML: a proxy's error page says less than its status. */
function plainText(body: unknown, value: unknown): string | undefined {
  if (typeof body !== 'string' || value !== undefined) return undefined
  const text = body.trim()
  return text === '' || text.startsWith('<') ? undefined : text
}

function retryDelayOf(error: unknown): number | undefined {
  for (const { errors } of dialects) {
    const delayMs = errors?.retryDelayMs?.(error)
    if (delayMs !== undefined) return delayMs
  }
  return undefined
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Record<string, unknown>)[name] ?? undefined
}
