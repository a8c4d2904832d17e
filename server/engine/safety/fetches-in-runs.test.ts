import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { listenOnLoopback } from '../../../rig/loopback.ts'
import { upload } from '../../files/test-files.ts'
import type { Answer } from '../../../test/api-client.ts'
import {
  callTools,
  complete,
  startTestApp,
  toolResults,
  type ChatRequest,
  type ModelAnswer,
} from '../../../test/test-app.ts'
import { prepare, fixture } from '../../../test/fixture.ts'

let site: Server
let origin: string
let requested: string[]

/** Which addresses `web.fetch` may read without approval after private data, in whole runs. */
const app = fixture(() => startTestApp())
prepare(async () => {
  site = createServer(({ url = '' }, response) => {
    requested.push(url)
    if (url === '/') {
      response.setHeader('content-type', 'text/html')
      response.end('<p>Hello. <a href="/linked?p=1">More</a></p>')
    } else response.writeHead(200, { 'content-type': 'text/plain' }).end('a page')
  })
  origin = `http://127.0.0.1:${await listenOnLoopback(site)}`
})
after(async () => {
  site.close()
})
beforeEach(async () => {
  requested = []
  await app.call('PATCH', '/v1/policies', { body: { web_fetch_hosts: null } })
})

const hitl = (fields: object = { enabled: true }) => ({ human_in_the_loop: fields })

/** A crew entry with an agent that reads pages. */
async function reader(): Promise<object> {
  const agentId = await app.createAgent({
    systemPrompt: 'reader',
    connectors: ['web'],
    capabilities: ['web.fetch'],
    memory_enabled: false,
  })
  return { role: 'reader', systemPrompt: 'reader', agentId }
}

/** A crew of a clerk, who has a secret note, and a reader of pages. */
async function createCrew(fields?: object): Promise<string> {
  const agentId = await app.createAgent({ role: 'clerk', systemPrompt: 'clerk' })
  const note = { content: 'the secret is hunter2', pinned: true }
  await app.post(`/v1/agents/${agentId}/memory`, note)
  const clerk = { role: 'clerk', systemPrompt: 'clerk', agentId }
  return app.createWorkflow({ crew: [clerk, await reader()], ...hitl(fields) })
}

it('an address of its own waits once the run has files, whose links vouch for nothing', async () => {
  const file = await upload(app, `see ${origin}/c?d=hunter2`, 'a.txt')
  const flow = await app.createWorkflow({ crew: [await reader()], ...hitl() })
  leak(`${origin}/c?d=hunter2`)
  const waiting = await app.run(flow, { input: 'go', files: [file.body.data.id] })
  assert.equal(waiting.pending?.tool, 'web.fetch')
  assert.deepEqual(requested, [])
  await app.call('POST', `/v1/runs/${waiting.id}/cancel`)
})

/** The clerk puts the addresses into its answer; the reader fetches one each turn. */
function leak(...urls: string[]): void {
  app.answer = (request, response) => {
    if (isClerk(request)) return complete(response, urls.join(' '))
    const done = request.messages.filter(({ role }) => role === 'tool').length
    const url = urls[done]
    if (url === undefined) return complete(response, toolResults(request).join(' | '))
    callTools(response, [{ id: `c${done}`, name: 'web__fetch', arguments: { url } }])
  }
}

const isClerk = ({ messages }: ChatRequest): boolean =>
  messages[0]?.content.startsWith('clerk') ?? false

describe('an address that an agent wrote after its crew read private data', () => {
  it('waits for a person, who sees why and the whole of it, and goes out once approved', async () => {
    const url = `${origin}/c?long=${'x'.repeat(300)}&d=hunter2`
    leak(url)
    const waiting = await app.run(await createCrew(), `Look at ${origin}/c`)
    assert.equal(waiting.status, 'waiting_input')
    assert.deepEqual([waiting.pending.tool, waiting.pending.tool_input], ['web.fetch', { url }])
    assert.match(waiting.pending.prompt, /has read private data/)
    assert.ok(waiting.pending.prompt.endsWith(url))
    assert.deepEqual(requested, [])
    const { id, pending } = waiting
    await app.post(`/v1/runs/${id}/respond`, { action: 'approve', pending_id: pending.id })
    assert.equal((await app.rest(id)).status, 'completed')
    assert.equal(requested.length, 1)
  })

  it('is refused where nobody is asked, and done where nothing ever waits', async () => {
    leak(`${origin}/?d=hunter2`)
    const refused = await app.run(await createCrew({ enabled: false }), 'go')
    assert.match(refused.output, /was refused and not done/)
    assert.deepEqual(requested, [])
    await app.run(await createCrew({ enabled: false, approvals: 'never' }), 'go')
    assert.deepEqual(requested, ['/?d=hunter2'])
  })

  it('goes out unasked to a host of the list of an admin, and to no other', async () => {
    await app.call('PATCH', '/v1/policies', { body: { web_fetch_hosts: ['127.0.0.1'] } })
    leak(`${origin}/a?d=1`, `${origin.replace('127.0.0.1', '127.0.0.2')}/b?d=hunter2`)
    const ended = await app.run(await createCrew(), 'go')
    assert.match(ended.output, /Cannot fetch .* do not allow/)
    assert.deepEqual(requested, ['/a?d=1'])
  })

  it('waits in a retry too, also when the run that saw the data is gone', async () => {
    const workflowId = await createCrew()
    const retried = async (read: ModelAnswer): Promise<Answer['body']> => {
      app.answer = (request, response) => {
        if (isClerk(request)) complete(response, 'hunter2')
        else response.writeHead(400).end('{"error":{"message":"no"}}')
      }
      const failed = await app.run(workflowId, 'go')
      assert.equal(failed.status, 'failed')
      app.answer = read
      const waiting = await app.rest((await app.post(`/v1/runs/${failed.id}/retry`, {})).id)
      assert.equal(waiting.steps[0].reused_from, failed.id)
      return waiting
    }
    leak(`${origin}/?d=hunter2`)
    const read = app.answer
    assert.equal((await retried(read)).pending?.tool, 'web.fetch')
    const forgotten = await retried((request, response, call) => {
      void sql`delete from steps where memory is not null`
        .execute(app.database)
        .then(() => read(request, response, call))
    })
    assert.equal(forgotten.pending?.tool, 'web.fetch')
    assert.deepEqual(requested, [])
  })
})

it('addresses of the input and links of pages are read unasked, and so is all before private data', async () => {
  leak(`${origin}/`, `${origin}/linked?p=1`)
  const ended = await app.run(await createCrew(), `Read ${origin}.`)
  assert.equal(ended.status, 'completed')
  assert.deepEqual(requested, ['/', '/linked?p=1'])
  const free = await app.createWorkflow({ crew: [await reader()], ...hitl() })
  leak(`${origin}/of-its-own?x=1`)
  assert.equal((await app.run(free)).status, 'completed')
})
