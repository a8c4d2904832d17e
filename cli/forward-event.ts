import { readUpTo } from './read-text.ts'
import type { EventAnswer, EventRequest } from './receiver.ts'

/**
 * Shorter than the service's timeout of 15 s, so that a slow target is answered with 502 and the
 * reason.
 */
const timeoutMs = 14_000
const maxAnswerBytes = 16 * 1024
const passedHeaders = [
  'content-type',
  'user-agent',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]

/**
 * Forwards a request unchanged, including its signature, and returns the response; 502 if there is
 * none.
 */
export async function forwardEvent(
  url: string,
  { body, headers }: EventRequest,
): Promise<EventAnswer & { error?: string }> {
  const passed = passedHeaders.map((name) => [name, String(headers[name] ?? '')])
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: Object.fromEntries(passed) as Record<string, string>,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const bytes = await readUpTo(answer.body ?? [], maxAnswerBytes)
    return { status: answer.status, text: bytes?.toString() ?? '' }
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    const why = cause instanceof Error ? cause.message || cause.name : String(cause)
    const text = `Cannot forward to ${url}: ${why}`
    return { status: 502, text, error: text }
  }
}
