import { createWorkflow } from './api.ts'
import { connectTo } from './bench-database.ts'
import { findFlaws, waitForCompleted } from './completed.ts'
import type { Contender, Site } from './contender.ts'
import { startLoadProcess } from './load-process.ts'
import type { ModelProcess } from './model-process.ts'
import { adminKey, startMuster } from './muster-process.ts'
import { musterWaitingRuns } from './muster-waiting-runs.ts'

const patienceMs = 120_000

/** Muster, API and worker in one process, triggered over HTTP by a client in another. */
export function musterContender(model: ModelProcess) {
  return async ({ store, folder }: Site): Promise<Contender> => {
    const databaseUrl = store.env['DATABASE_URL'] ?? ''
    await using stack = new AsyncDisposableStack()
    const load = stack.use(await startLoadProcess())
    const muster = stack.use(
      await startMuster({
        folder,
        env: {
          DATABASE_URL: databaseUrl,
          MUSTER_MODELS_FILE: await model.writeModelsFile(folder),
          MUSTER_RUN_CONCURRENCY: '500',
          MUSTER_ACCOUNT_CONCURRENCY: '500',
        },
      }),
    )
    const database = stack.use(await connectTo(databaseUrl))
    let workflowId: string | undefined
    let played = 0
    const all = stack.move()
    return {
      pid: muster.pid,
      async play({ firstTag, count, open }) {
        workflowId ??= await createWorkflow(muster.url)
        played += count
        await load.trigger({
          url: muster.url,
          apiKey: adminKey,
          workflowId,
          modelUrl: model.url,
          firstTag,
          count,
          connections: 128,
          window: open,
          inputBytes: 2_048,
        })
        await waitForCompleted(database, played, patienceMs)
      },
      async recover() {
        const [row] = await database.query<{ count: number }>(
          'select count(*)::int as count from runs',
        )
        await waitForCompleted(database, row?.count ?? 0, patienceMs)
      },
      async countLost(count) {
        const flaws = await findFlaws(database)
        if (flaws.length > 0) throw new Error(`Runs are flawed:\n${flaws.join('\n')}`)
        const rows = await database.query('select from runs')
        return count - rows.length
      },
      waiting: musterWaitingRuns({ url: muster.url, modelUrl: model.url, load, database }),
      readMemory: () => muster.readMemory(),
      kill: () => muster.kill(),
      [Symbol.asyncDispose]: () => all.disposeAsync(),
    }
  }
}
