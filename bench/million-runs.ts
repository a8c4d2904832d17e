import { openEmbeddedServer } from '../server/db/embedded-server.ts'
import { findRunWithSteps, listRuns } from '../server/runs/store.ts'
import { figure, type Figure } from './figure.ts'
import { createWorkflow, timeGet } from './rig/api.ts'
import { explain } from './rig/explain.ts'
import { fillRuns } from './rig/fill-runs.ts'
import { median, percentile, round } from './rig/percentiles.ts'
import { setStage, type Stage } from './rig/stage.ts'

const fewRuns = 50
const manyRuns = 1_000_000
const targetRatio = 1.5

/** Lists and single reads with a million ended runs of one workflow, against 50. */
export async function millionRuns(): Promise<Figure[]> {
  await using stage = await setStage()
  const { muster, database } = stage
  const workflowId = await createWorkflow(muster.url)
  const [workflow] = await database.query<{ account_id: string }>(
    'select account_id from workflows',
  )
  const owner = { accountId: workflow?.account_id ?? '', workflowId }

  await fillRuns(database, owner, 1, fewRuns)
  await timeReads(stage, await nameReads(stage, workflowId))
  const few = await timeReads(stage, await nameReads(stage, workflowId))
  await fillRuns(database, owner, fewRuns + 1, manyRuns)
  const reads = await nameReads(stage, workflowId)
  await timeReads(stage, reads)
  const many = await timeReads(stage, reads)
  await printPlans(stage, owner)

  return [...many].map(([name, { p50, p99 }]) => {
    // A deep page does not exist among 50 runs; its measure is the first one.
    const base = few.get(name) ?? few.get(name.replace('deep', 'first'))
    const ratio = p99 / (base?.p99 ?? Number.NaN)
    return figure(
      `${name}: p50 / p99 with 1,000,000 runs; with 50`,
      `${round(p50)} / ${round(p99)} ms; ${round(base?.p50 ?? Number.NaN)} / ${round(base?.p99 ?? Number.NaN)} ms`,
      `p99 ≤ ${targetRatio} ×`,
      ratio <= targetRatio,
    )
  })
}

/** Paths to read, in turn, by what they are called. */
type Reads = Map<string, string[]>

async function nameReads({ database }: Stage, workflowId: string): Promise<Reads> {
  const list = `/v1/workflows/${workflowId}/runs`
  const ids = await database.query<{ id: string }>(
    'select id from runs order by md5(id) limit 1000',
  )
  const old = await database.query<{ id: string; at: Date }>(
    'select id, created_at as at from runs order by created_at limit 200 offset 20000',
  )
  const after = old.map(({ at, id }) => toCursor(at, id))
  const reads: Reads = new Map([
    ['list, first page', [list]],
    ['list, first page of a status', [`${list}?status=failed&limit=1`]],
    ['retrieve', ids.map(({ id }) => `/v1/runs/${id}`)],
  ])
  if (ids.length === fewRuns) return reads
  return reads
    .set(
      'list, deep page',
      after.map((cursor) => `${list}?after=${cursor}`),
    )
    .set(
      'list, deep page of a status',
      after.map((cursor) => `${list}?after=${cursor}&status=failed&limit=1`),
    )
}

/** As the service writes them; following its links from the first page would take 20,000 requests. */
function toCursor(at: Date, id: string): string {
  return Buffer.from(`${at.getTime()} ${id}`).toString('base64url')
}

/** Each read in rounds that take turns; of its rounds the median counts, against the noise. */
async function timeReads(
  { muster }: Stage,
  reads: Reads,
): Promise<Map<string, { p50: number; p99: number }>> {
  const rounds = 15
  const each = 200
  const p50s = new Map<string, number[]>()
  const p99s = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++) {
    for (const [name, paths] of reads) {
      const tookMs: number[] = []
      for (let index = 0; index < each; index++) {
        tookMs.push(await timeGet(muster.url, paths[(round * each + index) % paths.length] ?? ''))
      }
      p50s.set(name, [...(p50s.get(name) ?? []), median(tookMs)])
      p99s.set(name, [...(p99s.get(name) ?? []), percentile(tookMs, 0.99)])
    }
  }
  return new Map(
    [...reads.keys()].map((name) => [
      name,
      { p50: median(p50s.get(name) ?? []), p99: median(p99s.get(name) ?? []) },
    ]),
  )
}

async function printPlans(
  { database, dataDir }: Stage,
  owner: { accountId: string; workflowId: string },
): Promise<void> {
  const [old] = await database.query<{ id: string; at: Date }>(
    'select id, created_at as at from runs order by created_at offset 20000 limit 1',
  )
  if (old === undefined) throw new Error('There are no runs')
  await using server = await openEmbeddedServer({ dataDir })
  const lists = [
    { name: 'first page', status: undefined, after: undefined },
    { name: 'deep page', status: undefined, after: old },
    { name: 'first page of a status', status: 'failed', after: undefined },
    { name: 'deep page of a status', status: 'failed', after: old },
    { name: 'first page of a status without runs', status: 'queued', after: undefined },
  ] as const
  for (const { name, status, after } of lists) {
    const { workflowId } = owner
    const filter = { workflowId, limit: 51, status, after }
    const plan = await explain(server.url, (db) => listRuns(db, owner.accountId, filter))
    console.error(`\n## list, ${name}\n${plan}`)
  }
  const plan = await explain(server.url, (db) => findRunWithSteps(db, owner.accountId, old.id))
  console.error(`\n## retrieve\n${plan}`)
}
