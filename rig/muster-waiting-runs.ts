import { answerRun, createWorkflow } from './api.ts'
import type { BenchDatabase } from './bench-database.ts'
import type { WaitingRuns } from './contender.ts'
import type { LoadProcess } from './load-process.ts'
import { adminKey } from './muster-process.ts'
import { until } from './until.ts'

const connections = 64
const patienceMs = 120_000

interface Deps {
  url: string
  modelUrl: string
  load: LoadProcess
  database: BenchDatabase
}

/** Runs whose writer asks a question: the model server asks where the tool for it is offered. */
export function musterWaitingRuns({ url, modelUrl, load, database }: Deps): WaitingRuns {
  let workflowId: string | undefined
  let waiting: string[] = []
  return {
    async pause({ firstTag, count, open }) {
      workflowId ??= await createWorkflow(url, 'bench', adminKey, {
        human_in_the_loop: { enabled: true },
      })
      const { runIds } = await load.trigger({
        url,
        apiKey: adminKey,
        workflowId,
        modelUrl,
        firstTag,
        count,
        connections,
        window: open,
        inputBytes: 2_048,
      })
      waiting = runIds
      await untilAllAre('waiting_input')
    },
    async answer() {
      const left = waiting.values()
      await Promise.all(
        Array.from({ length: connections }, async () => {
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
