import type { Muster } from '../../../sdk/client.ts'
import type { Run } from '../../../sdk/generated.ts'

export interface Retried {
  ids: ReadonlySet<string>
  /** Otherwise there were too many newer runs to look at all of them. */
  isWhole: boolean
}

const pageSize = 100
const mostPages = 10
/** Newer runs that are looked at. */
export const mostNewer = pageSize * mostPages

/** Which of these runs were retried before: the newer run names the one that it retries. */
export async function findRetried(muster: Muster, runs: readonly Run[]): Promise<Retried> {
  const ids = new Set<string>()
  const [first] = runs
  if (first === undefined) return { ids, isWhole: true }
  const asked = new Set(runs.map(({ id }) => id))
  const oldest = runs.reduce((one, other) => (other.created_at < one.created_at ? other : one))
  const isOfOne = runs.every((run) => run.workflow_id === first.workflow_id)
  let page = await muster.runs.list_all({
    created_after: oldest.created_at,
    ...(isOfOne && { workflow_id: first.workflow_id }),
    limit: pageSize,
  })
  for (let read = 1; ; read++) {
    for (const { retry_of: id } of page) if (id !== null && asked.has(id)) ids.add(id)
    const next = read < mostPages ? await page.next() : undefined
    if (next === undefined) return { ids, isWhole: !page.hasNext }
    page = next
  }
}
