import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { figure, type Figure } from './report.ts'
import { answerRun, timeGet } from '../rig/api.ts'
import { makeAskingExample } from '../rig/asking-example.ts'
import { connectToEmbedded } from '../rig/bench-database.ts'
import { clockMs, percentile, round } from '../rig/measure.ts'
import { fillWaiting } from '../rig/fill-scale.ts'
import { startModelProcess } from '../rig/model-process.ts'
import { startMuster, type MusterProcess } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'

const waiting = 100_000
const answers = 100
const settleMs = 6_000
const targetMegabytes = 50
const targetMs = 30

/** The memory of 100,000 runs that wait for a person, and how soon an answered one continues. */
export async function waitingRuns(): Promise<Figure[]> {
  await using folder = await makeScratchFolder()
  await using model = await startModelProcess()
  const env = {
    MUSTER_DATA_DIR: folder.dataDir,
    MUSTER_MODELS_FILE: await model.writeModelsFile(folder.path),
  }
  const start = () => startMuster({ folder: folder.path, env })

  let runIds: string[]
  let empty: number
  {
    await using muster = await start()
    empty = await settledMegabytes(muster)
    await using database = await connectToEmbedded(folder.dataDir)
    const { runId } = await makeAskingExample(muster.url, database)
    runIds = await fillWaiting(database, runId, waiting)
  }

  await using muster = await start()
  const full = await settledMegabytes(muster)
  const tookMs: number[] = []
  for (let number = 0; number < answers + 10; number++) {
    await model.takeCalls()
    const index = Math.floor((runIds.length / (answers + 10)) * number)
    const id = runIds[index] ?? ''
    const sentAt = clockMs()
    await answerRun(muster.url, id)
    let arrivedAt: number | undefined
    await until('the run goes on', 10_000, async () => {
      arrivedAt = (await model.takeCalls())[0]?.arrivedAt
      return arrivedAt !== undefined
    })
    // The first ones are a warm-up.
    if (number >= 10) tookMs.push((arrivedAt ?? Number.NaN) - sentAt)
    await delay(100)
  }
  await using database = await connectToEmbedded(folder.dataDir)
  // Each continues to its second step, which asks again.
  await until('the answered runs wait again', 10_000, async () => {
    const rows = await database.query(`select from runs where pending ->> 'step_order' = '1'`)
    return rows.length === answers + 10
  })
  return [
    figure(
      `memory of a process over a database with ${waiting} waiting runs, over an empty one`,
      `${round(full - empty)} MB (${round(full, 0)}, ${round(empty, 0)})`,
      `< ${targetMegabytes} MB`,
      full - empty < targetMegabytes,
    ),
    figure(
      `answer to one of ${waiting} waiting runs sent → its next model call, p50 / p99`,
      `${round(percentile(tookMs, 0.5))} / ${round(percentile(tookMs, 0.99))} ms`,
      `p50 ≤ ${targetMs} ms`,
      percentile(tookMs, 0.5) <= targetMs,
    ),
  ]
}

/** Resident memory of a process after a few requests and a pause. */
async function settledMegabytes({ pid, url }: MusterProcess): Promise<number> {
  for (let number = 0; number < 50; number++) await timeGet(url, '/v1/pending')
  await delay(settleMs)
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
}
