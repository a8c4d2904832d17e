import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { describe, it } from 'node:test'
import { connectTo } from '../rig/bench-database.ts'
import { startMuster, type MusterProcess } from '../rig/muster-process.ts'
import { s3Keys, startS3Server } from '../rig/s3-server.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import { lockAccount } from '../server/accounts/bounds.ts'
import { createDatabase, createPool } from '../server/db/client.ts'
import { countBlocked } from '../server/db/test-locks.ts'
import { fixture } from './fixture.ts'
import { callApi } from './api-client.ts'
import { callTools, complete, startTestApp, toolResults, type StartedApp } from './test-app.ts'

/** kill -9 of a service while people and agents upload files, with their bytes in either store. */
const patienceMs = 60_000
const bucket = fixture(startS3Server)
const folder = fixture(makeScratchFolder)
/** A service without workers that stays up, over whose database others are killed and started. */
const app = fixture(() =>
  startTestApp({
    role: 'api',
    env: { MUSTER_LEASE_SECONDS: '1' },
    intervals: { filesMs: 100 },
    answer: (asked, response) => {
      const results = toolResults(asked)
      if (results.length > 0) return complete(response, results.join('\n'))
      const write = { name: 'report.md', content: '# Report' }
      callTools(response, [{ name: 'files__write', arguments: write }])
    },
  }),
)
const database = fixture(() => connectTo(app.databaseUrl))

/** A process that will be killed; `app.startAnother` starts the service again. */
const start = (more: Record<string, string>): Promise<MusterProcess> =>
  startMuster({ folder: folder.path, env: { ...app.env, ...more } })
const inBucket = (): Record<string, string> => ({
  MUSTER_FILES_URL: `s3://files/muster?endpoint=${bucket.url}`,
  MUSTER_FILES_ACCESS_KEY_ID: s3Keys.accessKeyId,
  MUSTER_FILES_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
})
const call = ({ url = '' }: StartedApp, method: string, path: string, body?: unknown) =>
  callApi(url, app.key, method, path, { body })

/** Number of batches in a store, of any contents. */
const piecesIn = {
  database: async () => (await database.query('select from file_chunks')).length,
  'a bucket': () => Promise.resolve(bucket.objects.size),
}

/** Lets the time for unused contents pass; then the store has only those of the listed files. */
async function collected(store: keyof typeof piecesIn, pieces: number): Promise<void> {
  await database.query(`update file_contents set due_at = now() - interval '1 s'
    where due_at is not null`)
  await until('what nobody owns is collected', patienceMs, async () => {
    const left = await database.query(`select from file_contents where state <> 'kept'`)
    return left.length === 0
  })
  assert.equal(await piecesIn[store](), pieces)
  const [orphans] = await database.query<{ count: number }>(`
    select count(*)::int as count from file_pages
    where not exists (select 1 from files where files.account_id = file_pages.account_id
                        and files.content_id = file_pages.content_id)`)
  assert.equal(orphans?.count, 0)
}

describe('after kill -9', () => {
  for (const store of ['database', 'a bucket'] as const) {
    it(`in the middle of an upload to ${store}, nothing half is listed and its bytes are collected`, async () => {
      const more = store === 'database' ? {} : inBucket()
      const content = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(12_000_000)])
      const text = 'line of text\n'.repeat(1_000_000)
      {
        await using muster = await start(more)
        const broken = assert.rejects(
          sendBeginning(muster.url, store, content.subarray(0, 9_000_000)),
        )
        await until('half of it is stored', patienceMs, async () => (await piecesIn[store]()) >= 2)
        await muster.kill()
        await broken
      }
      await using muster = await app.startAnother('all', more)
      assert.deepEqual((await call(muster, 'GET', '/v1/files')).body.data, [])
      const form = new FormData()
      form.append('file', new Blob([text]), 'book.txt')
      const again = await fetch(`${muster.url}/v1/files`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.key}`, 'idempotency-key': store },
        body: form,
      })
      assert.equal(again.status, 201)
      const { data } = (await again.json()) as { data: { id: string } }
      const listed = (await call(muster, 'GET', '/v1/files')).body.data
      assert.deepEqual(
        listed.map((file: { id: string }) => file.id),
        [data.id],
      )
      await collected(store, store === 'database' ? 13 : 4)
      const answer = await fetch(`${muster.url}/v1/files/${data.id}/content`, {
        headers: { authorization: `Bearer ${app.key}` },
      })
      assert.ok((await answer.text()) === text)
      await call(muster, 'DELETE', `/v1/files/${data.id}`)
      await collected(store, 0)
    })
  }

  /**
   * Points in `files.write` at which the process dies: how to hold it there, and how to release it.
   */
  const moments: [string, hold: () => Promise<() => Promise<void>>][] = [
    ['its bytes go out', () => holdBucket('PUT')],
    ['its bytes are read back', () => holdBucket('GET')],
    ['it is committed', holdCommit],
  ]
  for (const [moment, hold] of moments) {
    it(`in files.write while ${moment}, the run ends and its file is there once`, async () => {
      let runId = ''
      let release: (() => Promise<void>) | undefined
      {
        await using muster = await start(inBucket())
        const name = `writer ${moment}`
        const agent = { name, role: 'r', systemPrompt: 's', capabilities: ['files.write'] }
        const agentId = (await call(muster, 'POST', '/v1/agents', agent)).body.data.id
        const crew = [{ agentId, role: 'r', systemPrompt: 's' }]
        const flow = await call(muster, 'POST', '/v1/workflows', { name, crew })
        release = await hold()
        const path = `/v1/workflows/${flow.body.data.id}/runs`
        runId = (await call(muster, 'POST', path, { input: 'go' })).body.data.id
        await until('files.write is held', patienceMs, isHeld)
        await muster.kill()
      }
      await release()
      await using muster = await app.startAnother('all', inBucket())
      await until('the run ends', patienceMs, async () => {
        const run = (await call(muster, 'GET', `/v1/runs/${runId}`)).body.data
        return run.finished_at !== null
      })
      const run = (await call(muster, 'GET', `/v1/runs/${runId}`)).body.data
      assert.equal(run.status, 'completed', JSON.stringify(run))
      assert.match(run.output, /^Written: report\.md, 8 bytes/)
      const [file] = run.files.outputs
      assert.equal(run.files.outputs.length, 1)
      const listed = (await call(muster, 'GET', '/v1/files')).body.data
      assert.deepEqual(
        listed.map(({ id }: { id: string }) => id),
        [file.id],
      )
      await collected('a bucket', 1)
      assert.equal(String([...bucket.objects.values()][0]), '# Report')
      await call(muster, 'DELETE', `/v1/files/${file.id}`)
      await collected('a bucket', 0)
    })
  }

  let isHeld: () => Promise<boolean> | boolean = () => false

  function holdBucket(method: string): Promise<() => Promise<void>> {
    let held = 0
    bucket.trouble = (asked) => {
      if (!asked.startsWith(method)) return undefined
      held++
      return 'taken'
    }
    isHeld = () => held > 0
    return Promise.resolve(async () => {
      bucket.trouble = undefined
      await Promise.resolve()
    })
  }

  /** Blocks the lock that the commit starts with. */
  async function holdCommit(): Promise<() => Promise<void>> {
    const other = createDatabase(createPool(app.databaseUrl, 2))
    const transaction = await other.startTransaction().execute()
    const [account] = await database.query<{ id: string }>('select id from accounts')
    isHeld = async () => bucket.objects.size > 0 && (await countBlocked(other)) > 0
    bucket.trouble = async (asked) => {
      // Answers once the lock is held.
      if (asked.startsWith('GET')) await lockAccount(transaction, account?.id ?? '')
      return undefined
    }
    return async () => {
      bucket.trouble = undefined
      await transaction.rollback().execute()
      await other.destroy()
    }
  }
})

/** Sends the beginning of a form and then stops; rejects when the server disconnects. */
function sendBeginning(url: string, key: string, content: Buffer): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const sending = request(`${url}/v1/files`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${app.key}`,
      'content-type': 'multipart/form-data; boundary=edge',
      'idempotency-key': key,
    },
  })
  sending.on('error', reject)
  sending.write(
    '--edge\r\ncontent-disposition: form-data; name="file"; filename="book.pdf"\r\n' +
      'content-type: application/pdf\r\n\r\n',
  )
  sending.write(content)
  return promise
}
