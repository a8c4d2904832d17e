import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { connectTo, type BenchDatabase } from '../rig/bench-database.ts'
import { adminKey, startMuster, type MusterProcess } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { startScriptedServer, type ScriptedServer } from '../rig/scripted-server.ts'
import { until } from '../rig/until.ts'
import { createTestDatabase } from '../server/db/test-database.ts'
import { callApi, complete, type ChatRequest } from './test-app.ts'

/** Workers that have too few files or too little memory for the runs that they take. */
interface Shortage extends AsyncDisposable {
  models: ScriptedServer
  database: BenchDatabase
  trigger(count: number, input: string): Promise<void>
  startWorker(options: { openFiles?: number; nodeArgs?: string[] }): Promise<MusterProcess>
  /** Looks on until all runs are completed; why runs were held meanwhile. */
  allEnd(count: number): Promise<Set<string>>
}

async function setStage(answer: string, concurrency: number): Promise<Shortage> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await makeScratchFolder())
  const { url } = stack.use(await createTestDatabase())
  const models = stack.use(
    await startScriptedServer((response, call) => {
      const { messages } = JSON.parse(models.requests[call - 1]?.body ?? '') as ChatRequest
      models.requests[call - 1] = { path: '', headers: {}, body: '' }
      assert.ok(messages.length > 0)
      setTimeout(() => complete(response, answer), 300)
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
    database,
    async trigger(count, input) {
      for (let number = 0; number < count; number++) {
        const { status } = await call(`/v1/workflows/${workflow.data.id}/runs`, { input })
        assert.equal(status, 202)
      }
    },
    startWorker: (options) => startMuster({ role: 'worker', folder, env, ...options }),
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
    await using stage = await setStage('done', 200)
    await stage.trigger(300, 'x')
    await using worker = await stage.startWorker({ openFiles: 100 })
    const reasons = await stage.allEnd(300)
    t.diagnostic(`at most ${stage.models.peak} calls at once; held: ${[...reasons].join(', ')}`)
    assert.deepEqual([...reasons], ['no_worker'])
    assert.ok(stage.models.peak < 100)
    assert.match(await worker.readLog(), /run ended/)
  })

  it('memory: a worker that dies of it and is started again fails no run', async (t) => {
    const runs = 60
    await using stage = await setStage('word '.repeat(40_000), runs)
    await stage.trigger(runs, 'word '.repeat(1_500))
    let deaths = 0
    let isOver = false
    const supervising = (async () => {
      while (!isOver) {
        await using worker = await stage.startWorker({ nodeArgs: ['--max-old-space-size=64'] })
        const over = until('it is over', 300_000, () => isOver, 100)
        await Promise.race([worker.exited.then(() => (deaths += isOver ? 0 : 1)), over])
      }
    })()
    try {
      await stage.allEnd(runs)
    } finally {
      isOver = true
      await supervising
    }
    t.diagnostic(`${deaths} deaths`)
  })
})
