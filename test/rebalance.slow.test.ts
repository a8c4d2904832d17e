import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeAccounts } from '../rig/accounts.ts'
import { createWorkflow, triggerRun } from '../rig/api.ts'
import { connectTo } from '../rig/bench-database.ts'
import { waitForCompleted } from '../rig/completed.ts'
import { startModelProcess } from '../rig/model-process.ts'
import { startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import { createPool } from '../server/db/client.ts'
import { distributeDatabase } from '../server/db/cluster/distribute.ts'
import { migrate } from '../server/db/migrate.ts'
import * as citus from '../server/db/cluster/test-citus.ts'

const accountCount = 20
const clients = 8
const pauseMs = 100
const rebalanceMs = 180_000

it(
  'a node is added and takes its share of the shards while runs come: none fails, none is refused',
  { skip: citus.noCitus, timeout: 300_000 },
  async (test) => {
    await using stack = new AsyncDisposableStack()
    const cluster = await citus.findCluster(process.env[citus.citusVariable] ?? '')
    assert.ok(cluster.urls.length > 2, 'expected a cluster of two workers')
    const name = `rebalance_${process.pid}`
    stack.defer(() => citus.drop(cluster, name))
    const url = await citus.createEmpty(cluster, name, 1)
    const pool = createPool(url, 1, { answerMs: 0 })
    await migrate(pool)
      .then(() => distributeDatabase(pool))
      .finally(() => pool.end())
    const database = stack.use(await connectTo(url))
    const folder = stack.use(await makeScratchFolder())
    const model = stack.use(await startModelProcess(50))
    const env = {
      DATABASE_URL: url,
      MUSTER_MODELS_FILE: await model.writeModelsFile(folder.path),
    }
    const muster = stack.use(await startMuster({ folder: folder.path, env }))
    stack.use(await startMuster({ role: 'worker', folder: folder.path, env }))
    const workflows: { key: string; id: string }[] = []
    for (const { adminKey: key } of await makeAccounts(url, accountCount)) {
      workflows.push({ key, id: await createWorkflow(muster.url, 'bench', key) })
    }

    const tookMs: number[] = []
    const over = new AbortController()
    let triggered = 0
    const load = Array.from({ length: clients }, async () => {
      while (!over.signal.aborted) {
        const tag = triggered++
        const { key, id } = workflows[tag % accountCount] as (typeof workflows)[number]
        const startedAt = performance.now()
        await triggerRun(muster.url, id, `#${tag}#`, key)
        tookMs.push(performance.now() - startedAt)
        await delay(pauseMs)
      }
    })
    try {
      await until('runs come', 60_000, () => tookMs.length >= 10 * clients)
      await citus.addNode(url, citus.inDatabase(cluster.urls[2] ?? '', name))
      await database.query('select citus_rebalance_start()')
      await until('the shards are spread', rebalanceMs, async () => {
        const [job] = await database.query<{ state: string; details: unknown }>(
          'select state, details from citus_rebalance_status()',
        )
        assert.ok(!['failed', 'failing'].includes(job?.state ?? ''), JSON.stringify(job))
        return job?.state === 'finished'
      })
      const before = tookMs.length
      await until('runs come yet', 60_000, () => tookMs.length >= before + 10 * clients)
    } finally {
      over.abort()
      // A rejected trigger fails the test here.
      await Promise.all(load)
    }
    await waitForCompleted(database, triggered, 60_000)
    const shards = await database.query<{ count: number }>(
      `select count(*)::int as count from pg_dist_shard_placement join pg_dist_shard using (shardid)
       where logicalrelid = 'runs'::regclass group by nodeport`,
    )
    const [one, other] = shards.map(({ count }) => count)
    test.diagnostic(
      `${triggered} runs, the slowest trigger took ${Math.max(...tookMs).toFixed(0)} ms; ` +
        `${one} and ${other} shards`,
    )
    assert.equal(one, other)
  },
)
