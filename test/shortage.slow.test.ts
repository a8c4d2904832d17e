import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { connectTo } from '../rig/bench-database.ts'
import { adminKey, startMuster, type MusterProcess } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { startScriptedServer, type ScriptedServer } from '../rig/scripted-server.ts'
import { until } from '../rig/until.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { callApi, complete } from './test-app.ts'

/** A worker that may open too few files for the runs that it takes. */
interface Shortage extends AsyncDisposable {
  models: ScriptedServer
  trigger(count: number, input: string): Promise<void>
  startWorker(openFiles: number): Promise<MusterProcess>
  /** Looks on until all runs are completed; why runs were held meanwhile. */
  allEnd(count: number): Promise<Set<string>>
}

async function setStage(concurrency: number): Promise<Shortage> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await makeScratchFolder())
  const { url } = stack.use(await createTestDatabase())
  const models = stack.use(
    await startScriptedServer((response) => {
      setTimeout(() => complete(response, 'done'), 300)
    }),
  )
  const modelsFile = join(folder, 'models.json')
  const file = {
    providers: [{ id: 'loopback', base_url: `${models.url}/v1`, max_concurrency: 1_000 }],
    models: [{ id: 'bench', provider: 'loopback' }],
  }
  await writeFile(modelsFile, JSON.stringify(file))
  const env = {
    DATABASE_URL: url,
    MUSTER_MODELS_FILE: modelsFile,
    MUSTER_ACCOUNT_CONCURRENCY: '1000',
    MUSTER_RUN_CONCURRENCY: String(concurrency),
  }
  const api = stack.use(await startMuster({ role: 'api', folder, env }))
  const database = stack.use(await connectTo(url))
  const call = (path: string, body: object) => callApi(api.url, adminKey, 'POST', path, { body })
  const crew = ['a', 'b'].map((role) => ({ role, systemPrompt: 'Work.' }))
  const { body: workflow } = await call('/v1/workflows', { name: 'w', model: 'bench', crew })
  const all = stack.move()
  return {
    models,
    async trigger(count, input) {
      for (let number = 0; number < count; number++) {
        const { status } = await call(`/v1/workflows/${workflow.data.id}/runs`, { input })
        assert.equal(status, 202)
      }
    },
    startWorker: (openFiles) => startMuster({ role: 'worker', folder, env, openFiles }),
    async allEnd(count) {
      const reasons = new Set<string>()
      await until('all runs are completed', 200_000, async () => {
        const rows = await database.query<{ status: string; held: string | null; count: number }>(
          `select status, held ->> 'reason' as held, count(*)::int as count from runs group by 1, 2`,
        )
        for (const { status, held } of rows) {
          assert.notEqual(status, 'failed', JSON.stringify(rows))
          if (held !== null && status !== 'completed') reasons.add(held)
        }
        return rows.every(({ status }) => status === 'completed') && sum(rows) === count
      })
      return reasons
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

const sum = (rows: { count: number }[]): number => rows.reduce((all, { count }) => all + count, 0)

describe('what a worker lacks itself', () => {
  it('files and sockets: holds runs back, fails none and is not charged to the provider', async (t) => {
    await using stage = await setStage(200)
    await stage.trigger(300, 'x')
    await using worker = await stage.startWorker(100)
    const reasons = await stage.allEnd(300)
    t.diagnostic(`at most ${stage.models.peak} calls at once; held: ${[...reasons].join(', ')}`)
    assert.deepEqual([...reasons], ['no_worker'])
    assert.ok(stage.models.peak < 100)
    assert.match(await worker.readLog(), /run ended/)
  })
})
