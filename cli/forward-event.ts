import { readUpTo } from './read-text.ts'
import type { EventAnswer, EventRequest } from './receiver.ts'

/** Shorter than the 15 s that the service waits for an answer, so a slow target is answered with 502 and the reason. */
const timeoutMs = 14_000
const maxAnswerBytes = 16 * 1024
const passedHeaders = [
  'content-type',
  'user-agent',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]

/** Passes a request on unchanged, signature included, and returns the answer; 502 where there is none. */
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
