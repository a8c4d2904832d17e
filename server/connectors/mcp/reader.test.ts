import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readMessage } from './message.ts'
import { readApart } from './fetch.ts'
import { testSandbox } from '../../sandbox/test-sandbox.ts'

const caller = { accountId: 'acc', sandbox: testSandbox() }

const open = new AbortController().signal
const rows = Array.from({ length: 40_000 }, (_, id) => ({ id, name: `row ${id}`, share: id * 1.5 }))
const answer = (structuredContent: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, result: { content: [], structuredContent } })

it('reads a large message while the event loop goes on', async () => {
  const text = answer({ rows, big: 1 }).replace('"big":1', '"big":12345678901234567890')
  let turns = 0
  let isRead = false
  const turn = (): void => {
    turns += 1
    if (!isRead) setImmediate(turn)
  }
  setImmediate(turn)
  const message = await readApart(caller, text, open)
  isRead = true
  assert.ok(turns > 10, `${turns} turns`)
  assert.deepEqual(message, readMessage(text))
})

it('gives up a message whose call has ended, and reads the next', async () => {
  const call = new AbortController()
  const reading = readApart(caller, answer({ rows }), call.signal)
  call.abort()
  await assert.rejects(reading, { name: 'OutboundError', kind: 'aborted' })
  assert.deepEqual((await readApart(caller, answer({ rows }), open)).answers, [7])
})

it('reads a batch as its messages are read, numbers as they were written', () => {
  const batch = `[{"id":1,"result":{"content":[],"structuredContent":{"n":12345678901234567890}}},
    {"method":"notifications/progress","params":null},{"id":2,"error":{"code":-1}},null]`
  const { text, answers, isProgress } = readMessage(batch)
  assert.deepEqual(answers, [1, 2])
  assert.equal(isProgress, true)
  assert.match(text, /\{\\"n\\":12345678901234567890\}/)
  assert.deepEqual(JSON.parse(text)[1], { method: 'notifications/progress' })
})

it('leaves what is no JSON as it came', () => {
  const { text, answers } = readMessage('<html>')
  assert.deepEqual([text, answers], ['<html>', undefined])
})
