import { fillUsage } from '../rig/fill-usage.ts'
import { timeGet } from '../rig/api.ts'
import { connectTo } from '../rig/bench-database.ts'
import { percentile, round } from '../rig/measure.ts'
import { startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { createDatabase, createPool } from '../server/db/client.ts'
import { startEmbeddedServer } from '../server/embedded/server.ts'
import { figure, type Figure } from './report.ts'

const runs = 1_000_000
const days = 400
const turns = 40
const targetMs = 1_000

/** Usage of one account over 400 days and 1,000,000 runs, queried in every way, one page each. */
export async function usage(): Promise<Figure[]> {
  await using folder = await makeScratchFolder()
  await using postgres = await startEmbeddedServer({ dataDir: folder.dataDir })
  await using muster = await startMuster({
    folder: folder.path,
    env: { DATABASE_URL: postgres.url },
  })
  await using bench = await connectTo(postgres.url)
  const [account] = await bench.query<{ id: string }>('select id from accounts')
  const patience = { statementMs: 0, answerMs: 0 }
  const database = createDatabase(createPool(postgres.url, 1, patience))
  try {
    await fillUsage(database, { accountId: account?.id ?? '', runs, days })
  } finally {
    await database.destroy()
  }
  await bench.query('vacuum (analyze) usage_days, usage_durations')

  const [from] = await bench.query<{ day: string }>(
    `select (current_date - ${days - 1})::text as day`,
  )
  const figures: Figure[] = []
  for (const [grouping, limit] of [
    ['day', days],
    ['workflow', 50],
    ['agent', 50],
    ['model', 50],
    ['tag:customer', 50],
    ['tag:job', 50],
    ['tag:customer', 1_000],
  ] as const) {
    const path = `/v1/usage?from=${from?.day}&group_by=${grouping}&limit=${limit}`
    await timeGet(muster.url, path)
    const tookMs: number[] = []
    for (let turn = 0; turn < turns; turn++) tookMs.push(await timeGet(muster.url, path))
    const [p50, p95] = [percentile(tookMs, 0.5), percentile(tookMs, 0.95)]
    const name = `usage of 400 days by ${grouping}, up to ${limit} rows: p50 / p95`
    const value = `${round(p50)} / ${round(p95)} ms`
    figures.push(
      limit > days
        ? figure(name, value)
        : figure(name, value, `p50 ≤ ${targetMs} ms`, p50 <= targetMs),
    )
  }
  return figures
}
