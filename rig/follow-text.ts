import assert from 'node:assert/strict'

/** The text that a client of a run's stream has received, over all its connections. */
export interface ReceivedText {
  /** By order and turn. */
  texts: Map<string, string>
  types: string[]
  lastId: string
}

export const newReceivedText = (): ReceivedText => ({ texts: new Map(), types: [], lastId: '0' })

/**
 * The stream of a run; `onOpen` is called when the response has started, `onText` at the first
 * text.
 */
export interface Source {
  url: string
  key: string
  runId: string
  onOpen?: () => void
  onText?: () => void
}

/**
 * For tests only: follows a run with its text until the run ends, or disconnects after a number of
 * frames; appends the text to what it had, and fails if a batch is lost or duplicated. True if the
 * run has ended.
 */
export async function followText(
  { url, key, runId, onOpen, onText }: Source,
  received: ReceivedText,
  mostFrames = Infinity,
): Promise<boolean> {
  const response = await fetch(`${url}/v1/runs/${runId}/events?deltas=true`, {
    headers: { authorization: `Bearer ${key}`, 'last-event-id': received.lastId },
  })
  // A busy machine may send its request too slowly; it retries.
  if (response.status === 408) return false
  assert.equal(response.status, 200)
  onOpen?.()
  let buffer = ''
  let frames = 0
  const decoder = new TextDecoder()
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    buffer += decoder.decode(part, { stream: true })
    const found = buffer.split('\n\n')
    buffer = found.pop() ?? ''
    for (const frame of found) {
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data === undefined) continue
      received.lastId = /^id: (\d+)$/m.exec(frame)?.[1] ?? received.lastId
      if (take(JSON.parse(data) as Frame, received)) onText?.()
      if (['run.completed', 'run.failed'].includes(received.types.at(-1) ?? '')) return true
      if (++frames >= mostFrames) return false
    }
  }
  return false
}

interface Frame {
  type: string
  order: number
  turn: number
  offset: number
  text: string
}

/** Whether this is the first text. */
function take(frame: Frame, { texts, types }: ReceivedText): boolean {
  types.push(frame.type)
  const isFirst = texts.size === 0
  const key = `${frame.order} ${frame.turn}`
  if (frame.type === 'step.text') texts.set(key, frame.text)
  if (frame.type !== 'step.delta') return isFirst && texts.size > 0
  const had = texts.get(key) ?? ''
  assert.equal(frame.offset, had.length, 'nothing is lost or doubled')
  texts.set(key, had + frame.text)
  return isFirst
}
