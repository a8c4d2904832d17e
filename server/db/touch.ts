import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from './client.ts'
import { outageOf } from './outage.ts'
import { isSpread } from './spread-dialect.ts'

const patienceMs = 500
const underWay = new WeakSet<object>()

/**
 * Says when something was used last, which is no reason to refuse its use. All nodes of a cluster write what is
 * copied to each of them: one that is away refuses it, and a commit in two phases that was broken off holds the row
 * for up to a minute. So nobody waits for it long, and a process has one at a time.
 */
export async function touch(database: Database, write: () => Promise<unknown>): Promise<void> {
  const { adapter } = database.getExecutor()
  if (underWay.has(adapter)) return
  const written = write().catch((error: unknown) => {
    if (outageOf(error) === undefined) throw error
  })
  if (!isSpread(database)) {
    await written
    return
  }
  underWay.add(adapter)
  const settled = written.finally(() => underWay.delete(adapter))
  await Promise.race([settled, delay(patienceMs, undefined, { ref: false })])
}
