import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fixture } from '../test/fixture.ts'
import { echo, startTestApp } from '../test/test-app.ts'
import { Muster } from './index.ts'

const app = fixture(() => startTestApp({ answer: echo }))
const client = () => new Muster({ apiKey: app.key, baseUrl: app.url })

it('a thread is created, written to, waited for and followed', async () => {
  const { threads } = client()
  const crew = [{ role: 'r', systemPrompt: 's' }]
  const workflow_id = await app.createWorkflow({ crew, thread: {} })
  const { id } = await threads.create({ workflow_id, key: 'k' })
  assert.equal((await threads.create({ workflow_id, key: 'k' })).id, id)
  const first = await threads.send(id, { input: 'one' })
  const texts: string[] = []
  const ended = await threads.wait(id, first, { onText: ({ text }) => void texts.push(text) })
  assert.deepEqual([ended.message.status, ended.answer?.text], ['answered', 'echo: one'])
  const second = await threads.send(id, { input: 'two' })
  const begun = await threads.wait(id, second, { until: 'run' })
  assert.match(begun.message.run_id ?? '', /^run_/)
  const ids: string[] = []
  const answers: string[] = []
  for await (const event of threads.stream(id, { onId: (one) => void ids.push(one) })) {
    if (event.type !== 'message.changed' || event.answer === undefined) continue
    answers.push(event.answer.text)
    if (answers.length === 2) break
  }
  assert.deepEqual(answers, ['echo: one', 'echo: two'])
  const rest: string[] = []
  for await (const event of threads.stream(id, { after: ids.at(-2) as string })) {
    rest.push(event.type)
    break
  }
  assert.deepEqual(rest, ['message.changed'])
  await assert.rejects(threads.wait(id, { id: 'msg_x', turn: 9 }, { timeoutMs: 300 }), {
    code: 'timeout',
  })
})
