import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { createAccount } from '../accounts/create-account.ts'
import { removalWork } from '../files/definition.ts'
import { storeContent } from '../files/stored-content.ts'
import { openContents } from '../contents/open-contents.ts'
import { dropContent } from '../files/store.ts'
import { chunksOf } from '../files/test-files.ts'
import { startMcpSink } from '../../rig/mcp-sink.ts'
import { startTrainer } from '../../rig/trainer.ts'
import { until } from '../../rig/until.ts'
import { codeOf } from '../../test/api-client.ts'
import { callTools, startTestApp } from '../../test/test-app.ts'
import { World } from '../../test/world.ts'
import { eraseAccounts } from './erase.ts'
import { eraseBatch } from './erase-store.ts'
import { readPage } from './export-store.ts'
import { readAccountTables } from './tables.ts'
import { doDue } from '../work/test-work.ts'
import { prepare, fixture } from '../../test/fixture.ts'

let erased: { id: string; adminKey: string }
let kept: { id: string; adminKey: string }
const secrets: string[] = []

const trainer = fixture(() => startTrainer('openai'))
const sink = fixture(() => startMcpSink())
/**
 * Two accounts with a row in every table that holds rows of accounts; a later migration that adds a
 * table without a row fails a test. One of the accounts is exported and deleted.
 */
const app = fixture(() =>
  startTestApp({
    env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: trainer.url },
    // Only the tests delete accounts here, and no usage is folded.
    intervals: { erasureMs: 3_600_000, usageMs: 3_600_000 },
    answer: (_request, response) =>
      callTools(response, [{ name: 'sink__write', arguments: { text: 'x' } }]),
  }),
)
prepare(async () => {
  erased = await createAccount(app.database, 'erased')
  kept = await createAccount(app.database, 'kept')
  for (const account of [erased, kept]) await fill(account)
})

async function fill({ id, adminKey: key }: { id: string; adminKey: string }): Promise<void> {
  const world = new World(app, { key, sinkUrl: sink.url, without: ['/v1/operator'] })
  const made = await world.all()
  const read = async (path: string) => (await app.call('GET', path, { key })).body.data
  const [fileId] = made['/v1/files/:id'] ?? []
  const [tuneId] = made['/v1/fine-tunes/:id'] ?? []
  const begun = await app.call('POST', `/v1/workflows/${made['/v1/workflows/:id']?.[0]}/runs`, {
    key,
    headers: { 'idempotency-key': `fill-${id}` },
    body: { input: 'x', tags: { customer: 'acme' }, files: [fileId] },
  })
  const run = begun.body.data
  assert.equal((await app.rest(run.id, key)).status, 'waiting_input')
  await world.do('schedules.trigger', { ids: made['/v1/schedules/:id'] ?? [] })
  await world.do('policies.update')
  secrets.push(key, ...world.secrets)
  const job = trainer.jobs.at(-1)
  assert.ok(job !== undefined)
  trainer.setStatus(job, 'succeeded')
  await until('the model is there', 20_000, async () => {
    await app.sql`update fine_tunes set polled_at = null, next_sync_at = now() where id = ${tuneId}`
    return (await read(`/v1/fine-tunes/${tuneId}`)).fine_tuned_model !== null
  })
  const day = sql`current_date`
  for (const statement of [
    sql`insert into run_words values (${id}, 'run_x', '{1}', now())`,
    sql`insert into run_word_walks values (${id}, now() + interval '1 day')`,
    sql`insert into jobs (account_id, run_id, ready_at) values (${id}, 'run_x', now() + interval '1 day')`,
    sql`insert into fine_tune_datasets values (${id}, ${tuneId}, 'data') on conflict do nothing`,
    sql`insert into account_watches values (${id}, now() + interval '1 day')`,
    sql`insert into setup_links values (${Buffer.from(id)}, ${id}, now() + interval '1 day')`,
    sql`insert into mail_counts values (${id}, ${day}, 1)`,
    sql`insert into quota_counts values (${id}, ${day}, 1, 1, 1)`,
    sql`insert into account_holds values (${id}, 'cost', now())`,
    sql`insert into usage_days values (${id}, 'day', 'x', ${day}, 1, 0, 0, 1, 1, 1, 1)`,
    sql`insert into usage_durations values (${id}, 'day', 'x', ${day}, 1, 1)`,
    sql`insert into usage_deltas (account_id, day, workflow_id, completed, failed, cancelled, steps,
          tokens_in, tokens_out, cost_usd) values (${id}, ${day}, 'w', 1, 0, 0, 0, 0, 0, 0)`,
    sql`insert into losses values (${id}, 'run_x', 'evt_x', 'run.queued', 1)`,
    sql`insert into budget_reservations
        select ${id}, 'x', id, now(), 1, now() from budgets where account_id = ${id}`,
    sql`insert into mailbox_messages (account_id, id, mailbox_id, message_id, uid, sender, subject, status, run_id)
        values (${id}, 'mbm_x', ${made['/v1/mailboxes/:id']?.[0]}, 'x', 1, 'x', 'x', 'ignored', 'run_x')`,
    sql`insert into connector_logins (account_id, id, connector_id, secret, version)
        values (${id}, 'notes', 'notes', '', 'x')`,
    sql`insert into cases values (${id}, 'pnd_x', ${run.id}, null)`,
    sql`insert into case_comments values (${id}, 'cmt_x', 'pnd_x', ${run.id}, 'key_x', 'x', 'x')`,
    sql`insert into notifications (account_id, id, channel_id, kind, key, recipient, status, next_attempt_at)
        values (${id}, 'ntf_x', ${made['/v1/channels/:id']?.[0]}, 'alert', 'x', 'x', 'dropped', null)`,
    sql`insert into thread_messages (account_id, id, thread_id, turn, role, text, run_id, status)
        values (${id}, 'msg_x', ${made['/v1/threads/:id']?.[0]}, 1, 'user', 'x', 'run_x', 'answered')`,
    sql`insert into thread_summaries values (${id}, 'sum_x', ${made['/v1/threads/:id']?.[0]}, 1, 'x', 2, 1, 'm', 0)`,
    sql`insert into shown_requests values (${id}, ${run.id}, 'key_x', 'pnd_x') on conflict do nothing`,
  ]) {
    await statement.execute(app.database)
  }
}

async function countRows(accountId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name } of await readAccountTables(app.database)) {
    const rows = await app.sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(name)} where account_id = ${accountId}`
    counts[name] = rows[0]?.count ?? 0
  }
  return counts
}

describe('an account', () => {
  it('is exported whole, without a secret', async () => {
    const { body, headers } = await app.call('GET', '/v1/account/export', { key: erased.adminKey })
    assert.match(headers.get('content-type') ?? '', /^application\/x-ndjson/)
    const rows = (body as string)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> })
    const counts = await countRows(erased.id)
    const omitted = [
      'account_holds',
      'account_watches',
      'idempotency_keys',
      'jobs',
      'setup_links',
    ].concat('run_words', 'run_word_walks')
    for (const [table, count] of Object.entries(counts)) {
      // Background jobs delete training sets and announce cases meanwhile.
      if (omitted.includes(table) || /^fine_tune_datasets|^notifications/.test(table)) continue
      assert.equal(rows.filter(({ type }) => type === table).length, count, table)
    }
    assert.deepEqual(rows.at(-1), { type: 'end', data: { rows: rows.length - 1 } })
    assert.ok(rows.every(({ data }) => data['account_id'] !== kept.id))
    for (const secret of secrets) assert.ok(!(body as string).includes(secret), secret)
    assert.ok(!/"(secret|token_hash|password_hash)"/.test(body as string))
    const other = await app.call('GET', `/v1/operator/accounts/${kept.id}/export`)
    assert.match(other.body as string, new RegExp(kept.id))
  })

  it('is deleted from every table, and at the provider, and nothing of another', async () => {
    const counts = await countRows(erased.id)
    // Background jobs delete training sets as soon as they can.
    const tried = Object.keys(counts).filter((table) => table !== 'fine_tune_datasets')
    const empty = tried.filter((table) => counts[table] === 0)
    assert.deepEqual(empty, [], 'every table has a row of the account, so that it is tried')
    await until('the other account is at rest', 20_000, async () => {
      const open = await app.sql`
        select 1 from jobs where account_id = ${kept.id} and (worker is not null or ready_at <= now())
        union all select 1 from hook_deliveries where account_id = ${kept.id} and status = 'pending'
        union all select 1 from schedule_firings where account_id = ${kept.id} and status = 'due'
        union all select 1 from batches where account_id = ${kept.id} and queued + running > 0
        union all select 1 from bulk_operations where account_id = ${kept.id} and due_at is not null`
      return open.length === 0
    })
    const others = await countRows(kept.id)
    const users = await app.sql`select * from users`
    const model = trainer.jobs[0]?.fineTunedModel ?? ''

    const asked = await app.call('DELETE', `/v1/operator/accounts/${erased.id}`)
    assert.deepEqual([asked.status, asked.body.data.status], [202, 'deleting'])
    const late = await app.call('GET', '/v1/account', { key: erased.adminKey })
    assert.deepEqual(codeOf(late), [401, 'invalid_api_key'])
    const again = await app.call('POST', `/v1/operator/accounts/${erased.id}/resume`)
    assert.equal(again.status, 404)

    // A process may die after any batch; the next process goes on.
    await until('the account is gone', 20_000, async () => {
      return (await eraseBatch(app.database, erased.id, 0)) === 'gone'
    })
    assert.deepEqual(new Set(Object.values(await countRows(erased.id))), new Set([0]))
    assert.equal((await app.call('GET', `/v1/operator/accounts/${erased.id}`)).status, 404)
    assert.ok(trainer.calls.includes(`DELETE /v1/models/${encodeURIComponent(model)}`))
    const left = await app.sql`select * from users`
    assert.equal(left.length, users.length - 3, 'its people')

    const now = await countRows(kept.id)
    for (const table of Object.keys(others)) {
      // Background jobs fold usage, delete training sets and announce cases.
      if (!/^usage_|^fine_tune_datasets|^notifications/.test(table))
        assert.equal(now[table], others[table], table)
    }
    const log = await app.get('/v1/operator/log')
    assert.deepEqual([log[0].action, log[0].object_id], ['account.deleted', erased.id])
  })
})

describe('of many accounts', () => {
  it('one whose deletion waits for others does not hold up the next', async () => {
    const waits = await createAccount(app.database, 'has a file that cannot be dropped')
    const next = await createAccount(app.database, 'has nothing')
    await app.sql`
      insert into file_contents (account_id, id, store, state, due_at)
      values (${waits.id}, 'x', 'gone', 'dropping', now() + interval '1 year')`
    for (const { id } of [waits, next]) {
      assert.equal((await app.call('DELETE', `/v1/operator/accounts/${id}`)).status, 202)
    }
    const services = { database: app.database, log: pino({ level: 'silent' }) }
    await until('the second one is gone', 10_000, async () => {
      await eraseAccounts(services, 0)
      return (await app.call('GET', `/v1/operator/accounts/${next.id}`)).status === 404
    })
    assert.equal((await app.get(`/v1/operator/accounts/${waits.id}`)).status, 'deleting')
  })

  it('one that is deleted while a file arrives keeps nothing of it', async () => {
    const { id: accountId } = await createAccount(app.database, 'uploads')
    const ofStores = { store: undefined, otherStores: [] }
    await using contents = openContents(app.database, ofStores, undefined)
    const services = { database: app.database, contents }
    const isThere = Promise.withResolvers<void>()
    const isErased = Promise.withResolvers<void>()
    async function* parts(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(1_500_000, 'x')
      isThere.resolve()
      await isErased.promise
      yield Buffer.alloc(1_500_000, 'x')
    }
    const asked = { accountId, action: 'upload file', name: 'a.txt' }
    const arriving = storeContent(services, asked, parts())
    await isThere.promise
    assert.equal((await app.call('DELETE', `/v1/operator/accounts/${accountId}`)).status, 202)
    const erase = async () => {
      const done = await eraseBatch(app.database, accountId, 0)
      await doDue(app.database, removalWork(services, 0))
      return done
    }
    while ((await erase()) === 'more');
    await erase()
    isErased.resolve()
    const { key } = await arriving
    // The receiver of an upload that became no file drops the content like this.
    await dropContent(app.database, key, 'arriving')
    await until('the account is gone', 10_000, async () => {
      await erase()
      return (await app.call('GET', `/v1/operator/accounts/${accountId}`)).status === 404
    })
    assert.equal(await chunksOf(app.database, key.contentId), 0)
  })

  it('large rows behind small ones are exported a few at a time', async () => {
    const { id } = await createAccount(app.database, 'with large rows')
    const audit = sql`insert into audit (account_id, id, actor_type, actor_name, action, object_type,
                                         object_id, after)`
    await app.sql`
      ${audit} select ${id}, 'b' || lpad(n::text, 3, '0'), 'system', 'x', 'x', 'x', 'x',
               case when n > 20 then json_build_object('text', repeat('x', 60000)) end
      from generate_series(1, 40) as n`
    const table = (await readAccountTables(app.database)).find(({ name }) => name === 'audit')
    assert.ok(table !== undefined)
    const pages: number[] = []
    const ids: string[] = []
    let after: string[] | undefined
    do {
      const page = await readPage(app.database, table, id, { after, limit: 25, bytes: 150_000 })
      pages.push(page.rows.reduce((sum, row) => sum + row.length, 0))
      ids.push(...page.rows.map((row) => JSON.parse(row).id))
      after = page.next
    } while (after !== undefined)
    assert.equal(new Set(ids).size, ids.length)
    assert.equal(ids.filter((one) => one.startsWith('b')).length, 40)
    assert.ok(Math.max(...pages) < 250_000, String(pages))
  })
})
