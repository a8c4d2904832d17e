import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Pool } from 'pg'
import { startMailServer } from '../cli/operate/mail-server.ts'
import { until } from '../rig/until.ts'
import { startWebhookReceiver } from '../rig/webhook-receiver.ts'
import { Muster } from '../sdk/client.ts'
import { verifyWebhook } from '../sdk/webhooks.ts'
import { migrate } from '../server/db/migrate.ts'
import { onCitus } from '../server/db/cluster/test-citus.ts'
import { readStored, restoreDatabase } from './releases/stored-database.ts'
import { callTools, complete, startTestApp, toolResults } from './test-app.ts'

const releases = join(import.meta.dirname, 'releases')
const migrations = join(import.meta.dirname, '../server/db/migrations')

const skip = onCitus('no older version knew it')

describe('a database of an older version', { skip }, async () => {
  for (const name of (await readdir(releases)).filter((file) => file.endsWith('.json.gz'))) {
    it(`${name}: what ended reads as it did, what was open and what waited goes on`, async () => {
      const stored = await readStored(join(releases, name))
      await using mail = await startMailServer()
      await using receiver = await startWebhookReceiver()
      await using app = await startTestApp({
        prepare: (url) => restoreDatabase(url, stored),
        answer: (request, response) =>
          complete(response, `Done. ${toolResults(request).join(' ')}`),
        env: {
          MUSTER_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
          MUSTER_EMAIL_FROM: 'Muster <muster@example.com>',
        },
      })
      const muster = new Muster({ apiKey: stored.key, baseUrl: app.url })
      const of = (...statuses: string[]) =>
        stored.runs.filter(({ status }) => statuses.includes(status))

      assert.ok(of('completed').length > 1 && of('failed').length > 2)
      for (const run of of('completed', 'failed')) {
        assert.partialDeepStrictEqual(await muster.runs.retrieve(run.id), run)
      }
      assert.ok(of('running').length === 2 && of('queued').length === 2)
      for (const { id } of of('running', 'queued')) {
        const { status, error } = await muster.runs.wait(id, { timeoutMs: 60_000 })
        assert.equal(status, 'completed', `${error}`)
      }
      await muster.webhooks.update(stored.webhook.id, { url: receiver.url })
      for (const { id, pending } of of('waiting_input')) {
        if (pending?.tool === 'crm.refund') continue
        let run = await muster.runs.retrieve(id)
        // The email would use another server than the one that was shown, so approval is asked for
        // again.
        for (let asked = 0; asked < 2 && run.pending !== null; asked++) {
          const answer =
            run.pending.kind === 'input'
              ? { action: 'input' as const, input: '4711' }
              : { action: 'approve' as const }
          await muster.runs.respond(id, { ...answer, pending_id: run.pending.id })
          run = await muster.runs.wait(id, { timeoutMs: 60_000 })
        }
        assert.equal(run.status, 'completed', `${run.error}`)
        const ends = () => receiver.received.filter(({ body }) => body.data?.id === id)
        await until('its webhook', 30_000, () =>
          ends().some(({ body }) => body.type === 'run.completed'),
        )
        for (const { text, headers } of ends()) {
          await verifyWebhook(text, headers, stored.webhook.secret)
        }
      }
      assert.deepEqual(
        mail.mails.map(({ to }) => to?.[0]?.address),
        ['ada.brandt@example.com'],
      )
      const signedIn = await app.call('POST', '/v1/session', {
        key: null,
        body: { email: 'ada@example.com', password: 'a long enough one' },
        headers: { origin: app.url },
      })
      assert.ok(signedIn.status < 300, JSON.stringify(signedIn.body))
    })
  }
})

describe('beside a newer schema', () => {
  it('an older process goes on and can be started again', async () => {
    const called = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    await using app = await startTestApp({
      answer: async (request, response) => {
        called.resolve()
        await answered.promise
        if (toolResults(request).length > 0) return complete(response, 'Done.')
        callTools(response, [{ name: 'request_input', arguments: { question: 'Which?' } }])
      },
    })
    const muster = new Muster({ apiKey: app.key, baseUrl: app.url })
    const workflow = await muster.workflows.create({
      name: 'Support',
      crew: [{ role: 'clerk', systemPrompt: 'Ask.' }],
      human_in_the_loop: { enabled: true },
    })
    const atWork = await muster.runs.create(workflow.id, { input: 'Before' })
    await called.promise
    await migrateOn(app.databaseUrl)
    answered.resolve()

    const answer = async (id: string, client: Muster) => {
      const { pending } = await client.runs.wait(id, { timeoutMs: 20_000 })
      await client.runs.respond(id, {
        action: 'input',
        input: 'This',
        pending_id: pending?.id ?? '',
      })
      const { status, error } = await client.runs.wait(id, { timeoutMs: 20_000 })
      assert.equal(status, 'completed', `${error}`)
    }
    await answer(atWork.id, muster)
    await using again = await app.startAnother('all')
    const other = new Muster({ apiKey: app.key, baseUrl: again.url ?? '' })
    await answer((await other.runs.create(workflow.id, { input: 'After' })).id, other)
  })
})

/** What a later version may do: add columns with defaults to every table, and a table. */
async function migrateOn(databaseUrl: string): Promise<void> {
  const names = (await readdir(migrations)).sort()
  const newest = names.at(-1)?.slice(0, 4) ?? ''
  const folder = await mkdtemp(join(tmpdir(), 'muster-next-'))
  const pool = new Pool({ connectionString: databaseUrl, max: 1 })
  try {
    await cp(migrations, folder, { recursive: true })
    await writeFile(
      join(folder, '9999_next.sql'),
      `-- Readable from ${newest}
       create table added (account_id text collate "C", id text, primary key (account_id, id));
       do $$
         declare name text;
         begin
           for name in select table_name from information_schema.tables where table_schema = 'muster'
           loop
             execute format('alter table muster.%I add column added_first text not null default $x$ $x$,
                             add column added_last jsonb', name);
           end loop;
         end
       $$;`,
    )
    assert.deepEqual(await migrate(pool, { folder }), { applied: ['9999_next.sql'] })
  } finally {
    await pool.end()
    await rm(folder, { recursive: true })
  }
}
