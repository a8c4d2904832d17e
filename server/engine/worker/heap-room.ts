import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'

/**
 * How many runs this process executes at a time without running out of heap, which would end it and send all of
 * them back to the queue. Each may get an answer at any moment, so room is kept for every one of them, and where
 * the heap fills up all the same, no more are taken until some have ended. With the heap that Node takes by
 * itself, and `MUSTER_RUN_CONCURRENCY` as it is, neither is ever noticed.
 */
export interface Heap {
  /** Bytes that may live long; what has just been made has room of its own. */
  limit: number
  readUsed: () => number
}

/** What a large answer takes while it is read and stored; most runs take far less. */
const bytesPerRun = 1024 * 1024
/** Shares of the limit: what runs are planned for, and where none is added. */
const planned = 0.75
const full = 0.85
/** Reading takes as long as a small statement. */
const readEveryMs = 20

/** Returns how many runs there may be at once, given how many there are. */
export function createHeapRoom(
  heap: Heap = ownHeap(),
  nowMs: () => number = () => performance.now(),
): (inProgress: number) => number {
  const { limit } = heap
  let used = heap.readUsed()
  let readAtMs = nowMs()
  const most = Math.max(1, Math.floor((limit * planned - used) / bytesPerRun))
  return (inProgress) => {
    if (nowMs() - readAtMs > readEveryMs) {
      used = heap.readUsed()
      readAtMs = nowMs()
    }
    // Always one: without a run, the garbage that fills the heap might never be collected.
    return used < limit * full ? most : Math.min(most, Math.max(1, inProgress))
  }
}

function ownHeap(): Heap {
  // The last one counts.
  const given = [...(process.env['NODE_OPTIONS'] ?? '').split(' '), ...process.execArgv]
    .map((argument) => /^--max[-_]semi[-_]space[-_]size=(\d+)$/.exec(argument)?.[1])
    .findLast((found) => found !== undefined)
  // The limit counts the young heap in, which V8 sizes at three semi-spaces, of 32 MB by default.
  const youngBytes = 3 * Number(given ?? 32) * 1024 * 1024
  return {
    limit: Math.max(0, getHeapStatistics().heap_size_limit - youngBytes),
    readUsed: () =>
      getHeapSpaceStatistics()
        .filter(({ space_name: name }) => !name.startsWith('new_'))
        .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0),
  }
}
