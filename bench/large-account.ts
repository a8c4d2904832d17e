import { sql } from 'kysely'
import { fillAccounts, fillSkewed, large as account } from '../rig/fill-skewed.ts'
import { median, round } from '../rig/measure.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { createDatabase, createPool, type Database } from '../server/db/client.ts'
import { eachOf } from '../server/db/page.ts'
import { blocksOf, explain } from '../server/db/test-plans.ts'
import { startEmbeddedServer } from '../server/embedded/server.ts'
import { listRuns, type RunFilter } from '../server/engine/reads/search.ts'
import { listWaiting } from '../server/engine/reads/waiting.ts'
import { prepareDatabase } from '../server/start/prepare-database.ts'
import { sumUsage } from '../server/usage/usage-store.ts'
import { deliveryStatuses } from '../server/sends/webhooks/schema.ts'
import { deliveries } from '../server/sends/webhooks/store.ts'
import { figure, type Figure } from './report.ts'

const runs = 1_000_000
const waiting = 10_000
const others = 30_000
const rounds = 5
/** Blocks of a page of 50 rows. */
const mostBlocks = 900

/** Pages of lists of an account that has 1,000,000 runs, nearly all of them. */
export async function largeAccount(): Promise<Figure[]> {
  await using folder = await makeScratchFolder()
  await using postgres = await startEmbeddedServer({ dataDir: folder.dataDir })
  const patience = { statementMs: 0, answerMs: 0 }
  await using pool = createPool(postgres.url, 2, patience)
  await prepareDatabase(postgres.url)
  const database = createDatabase(pool)
  await fillAccounts(database)
  // Built at once, because row by row it would take most of the time.
  await sql`drop index run_words_found`.execute(database)
  await fillSkewed(database, { runs, waiting, others, end: new Date() })
  await sql`set maintenance_work_mem = '1GB'`.execute(database)
  await sql`create index run_words_found on run_words using gin (words)`.execute(database)
  await sql`vacuum (analyze)`.execute(database)
  const figures: Figure[] = []
  for (const [name, ask] of Object.entries(pages)) {
    const blocks = blocksOf(await explain(postgres.url, ask))
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const start = performance.now()
      await ask(database)
      times.push(performance.now() - start)
    }
    figures.push(
      figure(
        `${name}: blocks of 8 KB, time`,
        `${blocks}, ${round(median(times))} ms`,
        `≤ ${mostBlocks}`,
        blocks <= mostBlocks,
      ),
    )
  }
  return figures
}

const list =
  (filter: Partial<RunFilter>, limit = 50) =>
  (on: Database): Promise<unknown> =>
    listRuns(on, account, { after: undefined, limit: limit + 1, ...filter })

const day = (ago: number): string =>
  new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

const pages: Record<string, (on: Database) => Promise<unknown>> = {
  'deliveries?status=failed of a failing endpoint (none found)': (on) =>
    deliveries.list(
      on,
      account,
      { limit: 50 },
      { endpoint_id: 'we_failing' },
      eachOf('status', 'failed', deliveryStatuses),
    ),
  'runs?q=lorem (a word of all texts)': list({ words: ['lorem'] }),
  'runs?q=lorem&limit=5': list({ words: ['lorem'] }, 5),
  'runs?q=lorem dolor&status=failed': list({ words: ['lorem', 'dolor'], statuses: ['failed'] }),
  'runs?min_cost_usd=5 (none found)': list({ minCostUsd: 5 }),
  'runs?q=t17 (a word of 2 %)': list({ words: ['t17'] }),
  'runs?q=griffin (a word of none)': list({ words: ['griffin'] }),
  'runs?tag=env:prod&status=failed': list({ marks: ['tag env:prod'], statuses: ['failed'] }),
  'pending, 10,000 waiting': (on) => listWaiting(on, account, { limit: 51 }),
  'pending?limit=1': (on) => listWaiting(on, account, { limit: 2 }),
  'pending?action=hubspot.create (none found)': (on) =>
    listWaiting(on, account, { limit: 51, action: 'hubspot.create' }),
  'pending/{id}': (on) =>
    listWaiting(on, account, { limit: 1, pendingId: `pnd_${'500003'.padStart(26, '0')}` }),
  'usage?group_by=tag:customer': (on) => {
    const range = { from: day(29), to: day(-1) }
    return sumUsage(on, account, {
      ...range,
      grouping: 'tag:customer',
      limit: 51,
      after: undefined,
    })
  },
}
