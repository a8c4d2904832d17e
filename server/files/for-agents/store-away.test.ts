import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { s3Keys, startS3Server } from '../../../rig/s3-server.ts'
import { until } from '../../../rig/until.ts'
import {
  callTools,
  complete,
  startTestApp,
  toolResults,
  type ChatRequest,
} from '../../../test/test-app.ts'
import { makePng, upload } from '../test-files.ts'
import { fixture } from '../../../test/fixture.ts'

let asked: ChatRequest[] = []
/** The calls of the model's first turn; then it answers with their results. */
let calls: { name: string; arguments: unknown }[] = []

const server = fixture(() => startS3Server())
const app = fixture(() =>
  startTestApp({
    env: {
      MUSTER_FILES_URL: `s3://files/muster?endpoint=${server.url}`,
      MUSTER_FILES_ACCESS_KEY_ID: s3Keys.accessKeyId,
      MUSTER_FILES_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
    },
    prepareModels: (file) => {
      const [{ base_url } = {}] = file.providers as { base_url?: string }[]
      file.providers.push({ id: 'eyes', base_url })
      file.models.push({ id: 'eyes/one', provider: 'eyes', input_types: ['image/png'] })
    },
    answer: (request, response) => {
      asked.push(request)
      const results = toolResults(request)
      if (results.length > 0 || calls.length === 0) complete(response, results.join('\n') || 'seen')
      else callTools(response, calls)
    },
  }),
)
beforeEach(() => {
  asked = []
  calls = []
  server.trouble = undefined
})

/** Makes the bucket refuse one method immediately. */
function breakBucket(method: string): void {
  server.trouble = (request, response) => {
    if (!request.startsWith(method)) return undefined
    response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
    return 'taken'
  }
}

async function trigger(crew: object, model?: string, files: string[] = []): Promise<string> {
  const flow = await app.post('/v1/workflows', {
    name: 'w',
    crew: [crew],
    ...(model && { model }),
    human_in_the_loop: { enabled: true },
  })
  return await app.trigger(flow.id, { input: 'go', files })
}

const read = async (id: string) => await app.get(`/v1/runs/${id}`)

async function heldWith(id: string, message: RegExp): Promise<void> {
  await until('the run is held', 20_000, async () => (await read(id)).held !== null)
  const run = await read(id)
  assert.equal(run.held.reason, 'no_worker')
  assert.match(run.held.message, message)
  assert.equal(run.status, 'running')
  const rows = await app.sql<{ tries: number }>`
    select tries from steps where run_id = ${id}`
  assert.deepEqual(rows, [{ tries: 0 }])
}

/** Makes the next attempt due, and waits for the end of the run. */
async function ended(id: string) {
  await until('the run ends', 20_000, async () => {
    await app.sql`update jobs set ready_at = now() where worker is null`
    return (await read(id)).finished_at !== null
  })
  const run = await read(id)
  assert.equal(run.status, 'completed', JSON.stringify(run))
  assert.equal(run.held, null)
  return run
}

async function makeWriter(): Promise<object> {
  const body = { name: `a${Math.random()}`, role: 'clerk', systemPrompt: 's' }
  const agent = await app.post('/v1/agents', { ...body, capabilities: ['files.write'] })
  return { agentId: agent.id, role: 'clerk', systemPrompt: 's' }
}

const clerk = { role: 'clerk', systemPrompt: 's' }

describe('a run whose store of files is away', () => {
  it('is held before a model that gets a file as it is, and the provider is not charged', async () => {
    const image = (await upload(app, makePng(10, 10), 'a.png')).body.data.id
    breakBucket('GET')
    const id = await trigger(clerk, 'eyes/one', [image])
    await heldWith(id, /^Cannot run eyes\/one: the store of files does not answer\. The next try/)
    assert.equal(asked.length, 0)
    // Six runs: five failures of a model provider would have opened its breaker.
    const more = await Promise.all(
      Array.from({ length: 5 }, () => trigger(clerk, 'eyes/one', [image])),
    )
    for (const one of more) await heldWith(one, /the store of files does not answer/)
    assert.equal((await ended(await trigger(clerk, 'eyes/one'))).output, 'seen')
    server.trouble = undefined
    for (const one of [id, ...more]) assert.equal((await ended(one)).output, 'seen')
    assert.match(JSON.stringify(asked.at(-1)?.messages), /data:image\/png;base64/)
  })

  it('is held at files.write, also where the bytes cannot be read back, and has its file once', async () => {
    calls = [{ name: 'files__write', arguments: { name: 'a.md', content: '# Report' } }]
    breakBucket('PUT')
    const id = await trigger(await makeWriter())
    await heldWith(id, /^Cannot write a\.md: the store of files does not answer\./)
    breakBucket('GET')
    const puts = () => server.requests.filter((one) => one.startsWith('PUT')).length
    const before = puts()
    await app.sql`update jobs set ready_at = now() where worker is null`
    await until('it is stored in vain', 20_000, () => puts() > before)
    await heldWith(id, /the store of files does not answer/)
    assert.deepEqual((await read(id)).files.outputs, [])
    server.trouble = undefined
    const run = await ended(id)
    assert.match(run.output, /^Written: a\.md, 8 bytes/)
    assert.equal(run.files.outputs.length, 1)
    assert.equal(asked.length, 2, 'the model is not asked again')
    const rows = await app.sql<{ state: string }>`
      select state from file_contents where state = 'arriving'`
    assert.deepEqual(rows, [])
  })

  it('is held at an action that is sensitive by policy, and nobody is asked whether it was done', async () => {
    calls = [{ name: 'files__write', arguments: { name: 'a.md', content: '# Report' } }]
    const policy = { sensitive_actions: ['files.write'] }
    assert.equal((await app.call('PATCH', '/v1/policies', { body: policy })).status, 200)
    try {
      breakBucket('PUT')
      const id = await trigger(await makeWriter())
      await until(
        'it is asked for',
        20_000,
        async () => (await read(id)).status === 'waiting_input',
      )
      const answer = await app.call('POST', `/v1/runs/${id}/respond`, {
        body: { action: 'approve' },
      })
      assert.equal(answer.status, 202, JSON.stringify(answer.body))
      await heldWith(id, /^Cannot write a\.md/)
      server.trouble = undefined
      assert.equal((await ended(id)).files.outputs.length, 1)
    } finally {
      await app.call('PATCH', '/v1/policies', { body: { sensitive_actions: [] } })
    }
  })

  it('is held where the database has no text of a file for now', async () => {
    const long = `${'word '.repeat(10_000)} heron`
    const file = (await upload(app, long, 'long.txt')).body.data.id
    calls = [
      { name: 'files__search', arguments: { query: 'heron' } },
      { name: 'files__read', arguments: { file: 'long.txt' } },
    ]
    const small = (await upload(app, 'short', 'short.txt')).body.data.id
    for (const statement of [
      `create function away() returns boolean language plpgsql as
         $$ begin raise 'disk full' using errcode = '53100'; end $$`,
      'alter table file_pages rename to kept_pages',
      'create view file_pages as select * from kept_pages where away()',
    ]) {
      await sql.raw(statement).execute(app.database)
    }
    const searching = await trigger(clerk, undefined, [file])
    const prompting = await trigger(clerk, undefined, [small])
    await heldWith(searching, /^Cannot use files\.(search|read): the store of files does not/)
    await heldWith(prompting, /^Cannot run test\/echo: the store of files does not answer/)
    await app.sql`drop view file_pages`
    await app.sql`alter table kept_pages rename to file_pages`
    assert.match((await ended(searching)).output, /long\.txt, page \d+:\n[^]*heron/)
    assert.ok(await ended(prompting))
  })
})
