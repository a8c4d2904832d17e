import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, type Answer } from '../../test/api-client.ts'
import { callTools, complete, startTestApp, toolResults } from '../../test/test-app.ts'
import { upload } from '../files/test-files.ts'
import { fixture } from '../../test/fixture.ts'

let call: Parameters<typeof callTools>[1][number]

/** Tests edits of calls that Muster answers itself. */
const app = fixture(() =>
  startTestApp({
    answer: (request, response) => {
      if (request.messages.at(-1)?.role !== 'tool') callTools(response, [call])
      else complete(response, `done: ${toolResults(request).join(' | ')}`)
    },
  }),
)

async function create(path: string, body: object): Promise<string> {
  const created = await app.call('POST', path, { body })
  assert.ok(created.status < 300, JSON.stringify(created.body))
  return created.body.data.id
}

/** Starts a run with two files and returns it when its agent's call waits. */
async function start(): Promise<Answer['body']> {
  const agentId = await create('/v1/agents', {
    name: 'Clerk',
    role: 'clerk',
    systemPrompt: 'act',
    capabilities: ['files.write'],
  })
  const workflowId = await create('/v1/workflows', {
    name: 'w',
    crew: [{ role: 'clerk', systemPrompt: 'act', agentId }],
    human_in_the_loop: { enabled: true, approvals: 'all' },
  })
  const uploaded = [await upload(app, 'alpha', 'a.txt'), await upload(app, 'beta', 'b.txt')]
  const files = uploaded.map(({ body }) => body.data.id)
  const run = await app.rest(
    await create(`/v1/workflows/${workflowId}/runs`, { input: 'go', files }),
  )
  assert.equal(run.status, 'waiting_input')
  return run
}

const approve = ({ id, pending }: Answer['body'], tool_input: object) =>
  app.call('POST', `/v1/runs/${id}/respond`, {
    body: { action: 'approve', pending_id: pending.id, tool_input },
  })

describe('an edit of a call', () => {
  it('that reads the files of the run is checked as others are', async () => {
    call = { name: 'files__read', arguments: { file: 'a.txt' } }
    const run = await start()
    const wrong = await approve(run, { file: 'b.txt', page: 0 })
    assert.deepEqual(codeOf(wrong), [400, 'invalid_arguments'])
    assert.match(wrong.body.error.message, /page must be >= 1/)
    const edited = await approve(run, { file: 'b.txt' })
    assert.equal(edited.status, 202, JSON.stringify(edited.body))
    assert.match((await app.rest(run.id)).output, /changed the arguments to .*b\.txt.*beta/s)
  })

  it('that searches the files of the run is as well', async () => {
    call = { name: 'files__search', arguments: { query: 'alpha' } }
    const run = await start()
    const edited = await approve(run, { query: 'beta' })
    assert.equal(edited.status, 202, JSON.stringify(edited.body))
    assert.match((await app.rest(run.id)).output, /b\.txt/)
  })

  it('has no more than others can read before they approve it', async () => {
    call = { name: 'files__write', arguments: { name: 'r.txt', content: 'short' } }
    const run = await start()
    const long = await approve(run, { name: 'r.txt', content: 'x'.repeat(33_000) })
    assert.deepEqual(codeOf(long), [400, 'invalid_arguments'])
    assert.match(
      long.body.error.message,
      /tool_input: the arguments have \d+ bytes of JSON, at most 32768/,
    )
    const fitting = await approve(run, { name: 'r.txt', content: 'x'.repeat(32_000) })
    assert.equal(fitting.status, 202)
    assert.equal((await app.rest(run.id)).status, 'completed')
  })
})
