/**
 * The body of a delivery: `{type, timestamp, data}`, the same bytes at every attempt. `data` is the
 * run as it was when the event happened, without steps, plus `sequence`.
 */
export interface BodyParts {
  type: string
  at: Date
  snapshot: Record<string, unknown>
  /** The run's texts; null for a test event. */
  run: { input: string; output: string | null } | null
}

const maxBytes = 64 * 1024

export function makeBody({ type, at, snapshot, run }: BodyParts): string {
  const data =
    run === null
      ? snapshot
      : { ...snapshot, input: run.input, output: type === 'run.completed' ? run.output : null }
  const body = (fields: Record<string, unknown>) =>
    JSON.stringify({ type, timestamp: at.toISOString(), data: fields })
  const whole = body(data)
  if (run === null || Buffer.byteLength(whole) <= maxBytes) return whole

  // The other fields are bounded; what they leave is shared by the two texts.
  const output = type === 'run.completed' ? (run.output ?? '') : ''
  const left =
    maxBytes - Buffer.byteLength(body({ ...data, input: '', output: '', truncated: true }))
  const input = cut(run.input, Math.max(left / 2, left - jsonBytes(output)))
  return body({
    ...data,
    input,
    output: type === 'run.completed' ? cut(output, left - jsonBytes(input)) : null,
    truncated: true,
  })
}

/** The longest beginning that takes up to this many bytes as JSON, without splitting a character. */
function cut(text: string, bytes: number): string {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (jsonBytes(text.slice(0, middle)) <= bytes) low = middle
    else high = middle - 1
  }
  const lead = text.charCodeAt(low - 1)
  return text.slice(0, lead >= 0xd800 && lead < 0xdc00 ? low - 1 : low)
}

/** Bytes of a text inside of JSON, without its quotes. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}
