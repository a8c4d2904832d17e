import { answerRun, createWorkflow } from './api.ts'
import { connectTo, type BenchDatabase } from './bench-database.ts'
import { findFlaws, waitForCompleted } from './completed.ts'
import type { Contender, Site, WaitingRuns } from './contender.ts'
import { startLoadProcess, type LoadProcess } from './load-process.ts'
import type { ModelProcess } from './model-process.ts'
import { startMuster } from './muster-process.ts'
import { until } from './until.ts'

const patienceMs = 120_000
const answering = 64

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
          workflowId,
          modelUrl: model.url,
          firstTag,
          count,
          connections: 128,
          window: open,
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

interface Deps {
  url: string
  modelUrl: string
  load: LoadProcess
  database: BenchDatabase
}

/** Runs whose writer asks a question: the model server asks if the tool is offered. */
function musterWaitingRuns({ url, modelUrl, load, database }: Deps): WaitingRuns {
  let workflowId: string | undefined
  let waiting: string[] = []
  return {
    async pause({ firstTag, count, open }) {
      const asking = { human_in_the_loop: { enabled: true } }
      workflowId ??= await createWorkflow(url, 'bench', undefined, asking)
      const { runIds } = await load.trigger({
        url,
        workflowId,
        modelUrl,
        firstTag,
        count,
        window: open,
      })
      waiting = runIds
      await untilAllAre('waiting_input')
    },
    async answer() {
      const left = waiting.values()
      await Promise.all(
        Array.from({ length: answering }, async () => {
          for (const id of left) await answerRun(url, id)
        }),
      )
      await untilAllAre('completed')
    },
  }

  function untilAllAre(status: string): Promise<void> {
    return until(`${waiting.length} runs are ${status}`, patienceMs, async () => {
      const [row] = await database.query<{ count: number }>(
        'select count(*)::int as count from runs where id = any($1) and status = $2',
        [waiting, status],
      )
      return row?.count === waiting.length
    })
  }
}
