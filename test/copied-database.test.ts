import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Client } from 'pg'
import { until } from '../rig/until.ts'
import { createPlainDatabase } from '../server/db/test-database.ts'
import { clientOf } from './api-client.ts'
import { startTestApp } from './test-app.ts'

const intervals = { batchesMs: 20, hooksMs: 20, schedulesMs: 20, bulkOperationsMs: 20 }

async function query(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const text of statements) ({ rows } = await client.query(text))
    return rows
  } finally {
    await client.end()
  }
}

/** Copies a database inside its server, as a dump that is restored beside it would be. */
async function copyInto(original: string, copy: string): Promise<void> {
  const server = new URL(original)
  server.pathname = '/postgres'
  const [from, to] = [original, copy].map((url) => new URL(url).pathname.slice(1))
  await query(
    String(server),
    `alter database ${from} allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${from}'`,
    `drop database ${to}`,
    `create database ${to} template ${from} strategy file_copy`,
    `alter database ${from} allow_connections true`,
  )
}

it('a copy beside its original starts nothing by itself, and the original starts each once', async (t) => {
  if (process.env['MUSTER_TEST_CLUSTER'] !== undefined) return t.skip('copies one PostgreSQL')
  await using app = await startTestApp({ role: 'api', intervals })
  const workflow = await app.createWorkflow({ crew: [{ role: 'r', systemPrompt: 's' }] })
  const items = Array.from({ length: 9 }, (_, at) => ({ input: `item ${at}` }))
  const batch = await app.post(`/v1/workflows/${workflow}/batches`, { items })
  const { url } = await app.post('/v1/hooks', { workflow_id: workflow, scheme: 'none' })
  for (const at of [1, 2, 3]) {
    const headers = { 'content-type': 'application/json' }
    assert.equal((await fetch(url, { method: 'POST', headers, body: `{"at":${at}}` })).status, 202)
  }

  await using copy = await createPlainDatabase()
  await copyInto(app.databaseUrl, copy.url)
  await using copied = await app.startAnother('all', { DATABASE_URL: copy.url })
  const ofCopy = clientOf(() => copied.url ?? '', app.key)
  const newest =
    'select reason, deliveries_held as held from muster.epochs order by number desc limit 1'
  assert.deepEqual(await query(copy.url, newest), [{ reason: 'restored', held: true }])
  // The copy works, and executes what a person asks for.
  const other = await ofCopy.createWorkflow({ crew: [{ role: 'r', systemPrompt: 's' }] })
  for (const input of ['one', 'two', 'three']) {
    assert.equal((await ofCopy.run(other, input)).status, 'completed')
  }
  assert.deepEqual(await ofCopy.get(`/v1/runs?workflow_id=${workflow}`), [])

  await until('the original answers again', 20_000, async () => {
    return (await app.call('GET', `/v1/batches/${batch.id}`)).status === 200
  })
  await using _worker = await app.startAnother('worker')
  await until('the original has started and ended all', 30_000, async () => {
    const answer = await app.call(
      'GET',
      `/v1/runs?workflow_id=${workflow}&status=completed&limit=100`,
    )
    return answer.status === 200 && answer.body.data.length === 12
  })
  assert.deepEqual(await query(app.databaseUrl, newest), [{ reason: 'first', held: false }])
})
