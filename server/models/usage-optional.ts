import { AnswerHeaders, wholeAnswer } from './whole-answer.ts'

/**
 * Lets an answer without `usage` through: some SDKs refuse it whole, but a proxy that forgets to
 * count is no reason to lose a text. `emptyUsage` is what the provider calls nothing used.
 */
export function usageOptional(
  fetch: typeof globalThis.fetch,
  emptyUsage: Record<string, number>,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || isEventStream(response.headers.get('content-type'))) return response
    const text = await response.text()
    const bytes = Buffer.from(withUsage(text, emptyUsage))
    return wholeAnswer(response.status, new AnswerHeaders(response.headers), bytes)
  }
}

/** An answer that comes in pieces. */
export function isEventStream(type: string | null | undefined): boolean {
  return type?.startsWith('text/event-stream') === true
}

function withUsage(text: string, emptyUsage: Record<string, number>): string {
  // Answers are parsed by the SDK; only the rare one without counts is parsed here too.
  if (text.includes('"usage"')) return text
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null
      ? JSON.stringify({ ...answer, usage: emptyUsage })
      : text
  } catch {
    return text
  }
}
