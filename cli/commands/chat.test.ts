import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fixture } from '../../test/fixture.ts'
import { callTools, echo, startTestApp } from '../../test/test-app.ts'
import { muster, startMuster } from '../test-cli.ts'

const app = fixture(() => startTestApp({ answer: echo }))
const env = () => ({ MUSTER_URL: app.url, MUSTER_API_KEY: app.key })
const crew = [{ role: 'r', systemPrompt: 's' }]

it('chat sends each line of a pipe, and prints the answers', async () => {
  app.answer = echo
  const id = await app.createWorkflow({ name: 'Pumps', crew, thread: {} })
  const first = await muster(['chat', 'Pumps', '--key', 'k'], { env: env(), stdin: 'one\n\ntwo\n' })
  assert.deepEqual([first.code, first.stdout], [0, 'echo: one\necho: two\n'], first.stderr)
  assert.match(first.stderr, /Go on later with muster chat wf_\w+ --key k/)
  const again = await muster(['chat', id, '--key', 'k', '--json'], { env: env(), stdin: 'three' })
  const { message, answer } = JSON.parse(again.stdout)
  assert.deepEqual([message.turn, answer.text], [3, 'echo: three'])
})

it('chat says how to answer what a turn waits for, and goes on once it is answered', async () => {
  app.answer = (request, response) => {
    if (request.messages.at(-1)?.content.endsWith('ask'))
      callTools(response, [{ name: 'request_input', arguments: { question: 'which?' } }])
    else echo(request, response)
  }
  const hitl = { human_in_the_loop: { enabled: true } }
  const id = await app.createWorkflow({ name: 'Asks', crew, thread: {}, ...hitl })
  const chat = startMuster(['chat', id], { env: env(), stdin: 'ask\n' })
  const [, runId] = await chat.until(/respond (run_\w+)/)
  await app.post(`/v1/runs/${runId}/respond`, { action: 'input', input: 'this' })
  const { code, stdout } = await chat.finished
  assert.deepEqual([code, stdout], [0, 'echo: this\n'])
})
