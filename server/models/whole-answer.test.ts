import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AnswerHeaders, wholeAnswer } from './whole-answer.ts'

const texts = { JSON: '{"text":"Grüße"}', 'a byte order mark': '\uFEFF{}', nothing: '' }

function both(text: string, status = 200): [Response, Response] {
  const headers = { 'content-type': 'application/json', 'x-request-id': 'r1' }
  const bytes = Buffer.from(text)
  return [
    wholeAnswer(status, new AnswerHeaders(Object.entries(headers)), bytes),
    new Response(bytes, { status, headers }),
  ]
}

async function readAll({ body }: Response): Promise<string> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const parts: Uint8Array[] = []
  for (let part = await reader.read(); !part.done; part = await reader.read())
    parts.push(part.value)
  await reader.cancel()
  reader.releaseLock()
  return Buffer.concat(parts).toString()
}

describe('an answer in memory reads as a Response does', () => {
  for (const [name, text] of Object.entries(texts)) {
    it(`with ${name} in it`, async () => {
      for (const read of [
        (response: Response) => response.text(),
        (response: Response) => response.json().catch((error: Error) => error.name),
        readAll,
        async (response: Response) => {
          const stream = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
            new TextDecoderStream(),
          )
          return (await Array.fromAsync(stream)).join('')
        },
      ]) {
        const [ours, theirs] = both(text)
        assert.deepEqual(await read(ours), await read(theirs))
      }
    })
  }

  it('with its status and headers', () => {
    for (const status of [200, 299, 404, 500]) {
      const [ours, theirs] = both('', status)
      assert.deepEqual([ours.status, ours.ok], [theirs.status, theirs.ok])
      assert.deepEqual([...ours.headers], [...theirs.headers])
      assert.equal(ours.headers.get('X-Request-Id'), 'r1')
    }
  })

  it('and is empty once it was cancelled', async () => {
    const [ours] = both('text')
    await ours.body?.cancel()
    assert.equal(await readAll(ours), '')
  })
})
