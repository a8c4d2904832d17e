import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { createAccount } from '../accounts/create-account.ts'
import { indexRunWords, wordsOfRun, fillDue } from '../engine/journal/run-words.ts'
import { foldUsage } from '../usage/fold.ts'
import { complete, startTestApp } from '../../test/test-app.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const never = 3_600_000
let workflowId: string

const app = fixture(() =>
  startTestApp({
    intervals: { usageMs: never, runWordsMs: never },
    answer: ({ messages }, response) => {
      const prompt = messages.at(-1)?.content ?? ''
      if (prompt.includes('broken')) response.writeHead(400).end('{}')
      else complete(response, `Answered **Ærøskøbing** about ${prompt.length}`, 1, 1)
    },
  }),
)
prepare(async () => {
  workflowId = await app.createWorkflow({ crew: [{ role: 'clerk', systemPrompt: 'p' }] })
})

async function run(input: string, tags: Record<string, string> = {}): Promise<string> {
  const { id } = await app.post(`/v1/workflows/${workflowId}/runs`, { input, tags })
  await app.rest(id)
  return id
}

async function index(): Promise<void> {
  while (await foldUsage(app.database)) continue
  while (await indexRunWords(app.database)) continue
}

async function find(query: string, key?: string): Promise<unknown[]> {
  const { status, body } = await app.call('GET', `/v1/runs?${query}`, key ? { key } : {})
  assert.equal(status, 200, JSON.stringify(body))
  return pluck(body.data, 'id')
}

describe('runs are found by', () => {
  it('words of their input and output, error and tags together, once they are indexed', async () => {
    const done = await run('Refund for Mrs Castafiore', { team: 'lagoon' })
    const failed = await run('broken chandelier of Castafiore')
    assert.deepEqual(await find('q=castafiore'), [])
    await index()
    assert.deepEqual(await find('q=castafiore'), [failed, done])
    assert.deepEqual(await find('q=CASTAFIORE%20%C3%A6r%C3%B8sk%C3%B8bing'), [done])
    assert.deepEqual(await find('q=castafiore%20lagoon'), [done])
    assert.deepEqual(await find('q=lagoon'), [done])
    assert.deepEqual(await find('q=castafiore&status=failed'), [failed])
    assert.deepEqual(await find('q=castafiore&status=cancelled'), [])
    assert.deepEqual(await find('q=castafiore&status=running'), [])
    assert.deepEqual(await find('q=castafiore&error_code=step_failed'), [failed])
    assert.deepEqual(await find('q=castafiore&tag=team:lagoon'), [done])
    assert.deepEqual(await find('q=castafiore&min_cost_usd=5'), [])
    assert.deepEqual(await find(`q=castafiore&workflow_id=${workflowId}`), [failed, done])
    assert.deepEqual(await find('q=castafior'), [])
    const pages = await app.pages('/v1/runs?q=castafiore&limit=1')
    assert.deepEqual(pluck(pages.flat(), 'id'), [failed, done])
  })

  it('none of another account', async () => {
    await run('the zeppelin plan')
    await index()
    assert.equal((await find('q=zeppelin')).length, 1)
    const { adminKey } = await createAccount(app.database, 'other')
    assert.deepEqual(await find('q=zeppelin', adminKey), [])
  })

  it('their texts also where they ended before the index was there, batch by batch', async () => {
    const id = await run('an old gramophone')
    await index()
    await sql`delete from run_words`.execute(app.database)
    assert.deepEqual(await find('q=gramophone'), [])
    await sql`
      insert into run_word_walks (account_id, due_at)
      values (${app.accountId}, now()), (${app.accountId}, now() + interval '1 hour')
      on conflict do nothing`.execute(app.database)
    await index()
    assert.deepEqual(await find('q=gramophone'), [id])
    const walks = await app.sql`select walked_to from run_word_walks where due_at <= now()`
    assert.deepEqual(walks, [])
  })
})

it('a run that was deleted before it was indexed leaves nothing', async () => {
  const id = await run('a short life')
  await foldUsage(app.database)
  await sql`delete from runs where id = ${id}`.execute(app.database)
  await index()
  assert.deepEqual(await app.sql`select from run_words where run_id = ${id}`, [])
})

it('a run whose indexing is cut short is indexed by the next tick', async () => {
  const id = await run('phoenix')
  await foldUsage(app.database)
  await assert.rejects(
    fillDue(app.database, () => Promise.reject(new Error('killed'))),
    /killed/,
  )
  assert.deepEqual(await find('q=phoenix'), [])
  await indexRunWords(app.database)
  assert.deepEqual(await find('q=phoenix'), [id])
})

it('of a text 300 different words count, the same for each account apart', () => {
  const words = Array.from({ length: 400 }, (_, n) => `w${n}`)
  const texts = { input: words.join(' '), output: 'done done', error: null, tags: null }
  assert.equal(wordsOfRun('acc_a', texts).length, 301)
  assert.notDeepEqual(wordsOfRun('acc_a', texts), wordsOfRun('acc_b', texts))
})
