import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createParser } from 'eventsource-parser'
import { sql } from 'kysely'
import { createAccount } from '../accounts/create-account.ts'
import { Notices } from '../db/notices.ts'
import { AccountChanges } from '../engine/feed/account-changes.ts'
import { until } from '../../rig/until.ts'
import { callTools, complete, startTestApp, toolResults } from '../../test/test-app.ts'
import type { AccountEvent } from '../engine/wire/run.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { changeChannel } from '../engine/journal/record.ts'

let workflowId: string

const app = fixture(() =>
  startTestApp({
    answer: (request, response) => {
      const asks = request.messages.at(-1)?.content.includes('ask me') === true
      if (asks && toolResults(request).length === 0) {
        callTools(response, [{ name: 'request_input', arguments: { question: 'Which?' } }])
      } else complete(response, 'done')
    },
  }),
)
const api = fixture(() => app.startAnother('api'))
prepare(async () => {
  const crew = [{ role: 'writer', systemPrompt: 'Write.' }]
  const body = { name: 'w', crew, human_in_the_loop: { enabled: true } }
  workflowId = (await app.post('/v1/workflows', body)).id
})

async function trigger(input = 'x'): Promise<string> {
  return await app.trigger(workflowId, input)
}

interface Heard {
  hints: AccountEvent[]
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
  close: () => void
}

function open(url: string | undefined, key: string, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` }
  return fetch(`${url}/v1/events`, { headers, ...(signal === undefined ? {} : { signal }) })
}

/** Opens the stream; resolves when it is open. */
async function listen(url: string | undefined, key = app.key): Promise<Heard> {
  const stop = new AbortController()
  let response = await open(url, key, stop.signal)
  // A process that has just started may not receive changes yet and answers 503.
  await until('it can be opened', 20_000, async () => {
    if (response.status !== 503) return true
    await response.body?.cancel()
    response = await open(url, key, stop.signal)
    return false
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const hints: Heard['hints'] = []
  const parser = createParser({
    onEvent: ({ event, data, id }) => {
      const hint = JSON.parse(data) as AccountEvent
      assert.equal(event, hint.type)
      assert.equal(id, undefined)
      hints.push(hint)
    },
  })
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
    }
  }
  const ended = read().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  return { hints, ended, close: () => stop.abort() }
}

const ofRun = ({ hints }: Heard, runId: string) => hints.filter(({ run_id }) => run_id === runId)

describe('the stream of an account', () => {
  it('names each run that moves, in any process, as it stands then', async () => {
    const streams = [await listen(app.url), await listen(api.url)]
    const runId = await trigger()
    for (const stream of streams) {
      await until('the run is told as completed', 20_000, () => {
        const last = ofRun(stream, runId).findLast(({ type }) => type === 'run.changed')
        return last?.type === 'run.changed' && last.status === 'completed' && last.sequence === 5
      })
      assert.ok(ofRun(stream, runId).every(({ type }) => type === 'run.changed'))
      stream.close()
    }
  })

  it('tells what waits for a person, and that nothing does any more', async () => {
    const stream = await listen(api.url)
    const runId = await trigger('ask me')
    const pendingIds = () =>
      ofRun(stream, runId).flatMap((hint) =>
        hint.type === 'pending.changed' ? [hint.pending_id] : [],
      )
    await until('a request is told', 20_000, () => pendingIds().length === 1)
    const { pending } = await app.get(`/v1/runs/${runId}`)
    assert.deepEqual(pendingIds(), [pending.id])
    await app.call('POST', `/v1/runs/${runId}/respond`, {
      body: { action: 'input', input: 'that', pending_id: pending.id },
    })
    await until('the answer is told', 20_000, () => pendingIds().length === 2)
    assert.equal(pendingIds()[1], null)

    const cancelled = await trigger('ask me')
    const isHinted = (pendingId: (id: string | null) => boolean) =>
      ofRun(stream, cancelled).some(
        (hint) => hint.type === 'pending.changed' && pendingId(hint.pending_id),
      )
    await until('another request is told', 20_000, () => isHinted((id) => id !== null))
    await app.call('POST', `/v1/runs/${cancelled}/cancel`)
    await until('the cancellation is told', 20_000, () => isHinted((id) => id === null))
    stream.close()
  })

  it('names a run less often than it moves', async () => {
    const stream = await listen(api.url)
    const runId = await trigger('ask me')
    await until('the request is told', 20_000, () =>
      ofRun(stream, runId).some(({ type }) => type === 'pending.changed'),
    )
    const told = () => ofRun(stream, runId)
    const before = told().length
    for (let count = 0; count < 40; count++) {
      await app.sql`select pg_notify(${changeChannel}, ${`${app.accountId} ${runId}`})`
    }
    await until('a hint', 20_000, () => told().length > before)
    assert.ok(told().length - before <= 20, `${told().length - before} hints of 40 changes`)
    stream.close()
  })

  it("says nothing of another account's runs, and tells nobody where nobody listens", async () => {
    const stranger = await createAccount(app.database, 'stranger')
    const theirs = await listen(api.url, stranger.adminKey)
    const ours = await listen(api.url)
    const runId = await trigger()
    await until('our stream is told', 20_000, () => ofRun(ours, runId).length > 0)
    assert.deepEqual(theirs.hints, [])
    theirs.close()
    ours.close()

    await using notices = new Notices(app.databaseUrl)
    const heard: unknown[] = []
    notices.on(changeChannel, (payload) => heard.push(payload))
    await until('somebody listens', 20_000, () => notices.isListening)
    // The server notices closed streams a little later; until then it may renew its row in
    // account_watches.
    await until('nobody is told', 60_000, async () => {
      await app.sql`delete from account_watches`
      heard.length = 0
      const quiet = await trigger()
      await app.call('GET', `/v1/runs/${quiet}?wait=20`)
      await app.sql`select pg_notify(${changeChannel}, 'last')`
      await until('the last notice', 20_000, () => heard.includes('last'))
      return heard.length === 1
    })
  })
})

describe('the end of the stream of an account', () => {
  it('comes with its key, and with its process', async () => {
    const body = { name: 'k', role: 'viewer' }
    const { id, key } = await app.post('/v1/api-keys', body)
    const third = await app.startAnother('api')
    const [revoked, stopped] = [await listen(api.url, key), await listen(third.url)]
    await app.call('DELETE', `/v1/api-keys/${id}`)
    await revoked.ended
    await third[Symbol.asyncDispose]()
    await stopped.ended
  })

  it('comes when its session has moved to another account', async () => {
    const { adminKey } = await createAccount(app.database, 'second')
    const join = async (key: string) => {
      const body = { email: 'ada@example.com', role: 'viewer' }
      const token = new URL((await app.post('/v1/invitations', body, key)).link).hash.slice(1)
      const person = { token, name: 'Ada', password: 'correct horse battery' }
      return app.call('POST', '/v1/invitations/accept', { key: null, body: person })
    }
    const { headers, body: first } = await join(app.key)
    const { account } = (await join(adminKey)).body.data
    const cookie = headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    const stream = await fetch(`${app.url}/v1/events`, {
      headers: { cookie },
      signal: AbortSignal.timeout(20_000),
    })
    assert.equal(stream.status, 200)
    const moved = await app.call('PUT', '/v1/me/account', {
      key: null,
      headers: { cookie, origin: app.url },
      body: { account_id: account.id },
    })
    assert.equal(moved.status, 200)
    await app.call('DELETE', `/v1/users/${first.data.id}`)
    await stream.text()
  })

  it('comes when hints may have been lost; another stream has those that follow', async () => {
    const stream = await listen(api.url)
    await app.sql`select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and query like 'listen%'`
    await stream.ended
    await until('it can be opened', 20_000, async () => {
      const probe = await open(api.url, app.key)
      await probe.body?.cancel()
      return probe.status === 200
    })
    const again = await listen(api.url)
    const runId = await trigger()
    await until('a hint on the new stream', 20_000, () => ofRun(again, runId).length > 0)
    again.close()
  })

  it('comes for who does not read: what is kept for a reader is bounded', async () => {
    await using notices = new Notices(app.databaseUrl)
    await until('somebody listens', 20_000, () => notices.isListening)
    using watcher = new AccountChanges(app.database, notices, (error) => assert.fail(String(error)))
    const account = await app.get('/v1/account')
    const stop = new AbortController()
    const slow = await watcher.follow(account.id, stop.signal)
    await app.sql`
      insert into runs (account_id, id, workflow_id, input)
      select ${account.id}, 'run_' || n, 'wf_x', 'x' from generate_series(1, 10001) as n`
    const name = (from: number, to: number) =>
      sql`select pg_notify(${changeChannel}, ${account.id} || ' run_' || n)
          from generate_series(${from}::int, ${to}::int) as n`.execute(app.database)
    await name(1, 6_000)
    const quick = await watcher.follow(account.id, stop.signal)
    await name(6_000, 10_001)
    let count = 0
    for await (const hints of quick) {
      count += hints.length
      if (hints.some(({ runId }) => runId === 'run_10001')) break
    }
    assert.ok(count >= 4_000, `${count} hints`)
    assert.deepEqual(await slow.next(), { value: undefined, done: true })
    stop.abort()
  })
})
