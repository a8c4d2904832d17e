import { setTimeout as delay } from 'node:timers/promises'
import { openEmbeddedServer } from '../server/embedded/server.ts'
import { figure, type Figure } from './report.ts'
import { makeAccounts } from '../rig/accounts.ts'
import { createWorkflow, triggerRun } from '../rig/api.ts'
import { clockMs, percentile, round } from '../rig/measure.ts'
import { fillQueue } from '../rig/fill-queue.ts'
import { openStage, type Stage } from '../rig/stage.ts'
import { until } from '../rig/until.ts'

const backlog = 100_000
const samples = 40
const targetMs = 1_000
const patienceMs = 60_000

/** How much 100,000 queued runs of one account delay a single run of another. */
export async function fairness(): Promise<Figure[]> {
  await using stage = await openStage({
    latencyMs: 200,
    runConcurrency: 500,
    env: { MUSTER_ACCOUNT_CONCURRENCY: '100' },
  })
  const { muster, database } = stage
  const workflowId = await createWorkflow(muster.url)
  await timeStarts(stage, workflowId)
  const alone = await timeStarts(stage, workflowId)

  await using server = await openEmbeddedServer({ dataDir: stage.dataDir })
  const [other] = await makeAccounts(server.url, 1)
  if (other === undefined) throw new Error('There is no other account')
  const crowd = await createWorkflow(muster.url, 'bench', other.adminKey)
  const owner = { accountId: other.id, workflowId: crowd }
  await fillQueue(database, owner, backlog)
  await until('the other account fills its share', patienceMs, async () => {
    return (await countOf(stage, other.id, 'running')) >= 100
  })
  const before = { at: performance.now(), ended: await countOf(stage, other.id, 'completed') }
  const beside = await timeStarts(stage, workflowId)
  const seconds = (performance.now() - before.at) / 1_000
  const ended = (await countOf(stage, other.id, 'completed')) - before.ended
  const queued = await countOf(stage, other.id, 'queued')
  // A graceful stop would take 20 s.
  await muster.kill()

  const added = percentile(beside, 1) - percentile(alone, 0.5)
  return [
    figure(
      `trigger sent → first model call beside ${queued} queued runs of another account, p50 / p99; without them`,
      `${round(percentile(beside, 0.5))} / ${round(percentile(beside, 0.99))} ms; ${round(percentile(alone, 0.5))} / ${round(percentile(alone, 0.99))} ms`,
    ),
    figure(
      'the same, the slowest run over the median without them',
      `${round(added)} ms`,
      `< ${targetMs} ms`,
      added < targetMs,
    ),
    figure(
      'runs/s of the other account meanwhile, 100 in progress, model at 200 ms, two steps',
      round(ended / seconds, 0),
    ),
  ]
}

let tags = 0

/** Milliseconds from the trigger to the run's first model call. */
async function timeStarts({ muster, model }: Stage, workflowId: string): Promise<number[]> {
  await model.takeCalls()
  const sentAt = new Map<number, number>()
  const tookMs: number[] = []
  const collect = async (): Promise<boolean> => {
    for (const { tag, step, arrivedAt } of await model.takeCalls()) {
      const sent = sentAt.get(tag)
      if (step === 0 && sent !== undefined) tookMs.push(arrivedAt - sent)
    }
    return tookMs.length === sentAt.size
  }
  for (let sample = 0; sample < samples; sample++) {
    const tag = tags++
    sentAt.set(tag, clockMs())
    await triggerRun(muster.url, workflowId, `#${tag}# A single run.`)
    await delay(100 + 200 * Math.random())
  }
  await until('all single runs began', patienceMs, collect, 100)
  return tookMs
}

async function countOf({ database }: Stage, accountId: string, status: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    'select count(*)::int as count from runs where account_id = $1 and status = $2',
    [accountId, status],
  )
  return row?.count ?? 0
}
