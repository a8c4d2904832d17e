import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'

/**
 * How many runs this process executes at a time without running out of heap, which would crash it
 * and send all of them back to the queue. Memory is reserved for a large answer to every run; if
 * the heap fills up anyway, no more runs are taken until some have ended. With Node's default heap
 * and the default `MUSTER_RUN_CONCURRENCY` this limit is never reached.
 */
export interface Heap {
  /** Bytes of long-lived objects; the young generation is separate. */
  limit: number
  readUsed: () => number
}

/** Memory to read and store a large answer; most runs need far less. */
const bytesPerRun = 1024 * 1024
/** Shares of the limit: what runs are planned for, and where no run is added. */
const planned = 0.75
const full = 0.85
/** Reading heap statistics takes as long as a small statement, so the result is reused. */
const readEveryMs = 20

/** Returns how many runs may be in progress, given how many there are. */
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
    // At least one: without a run, the garbage that fills the heap might never be collected.
    return used < limit * full ? most : Math.min(most, Math.max(1, inProgress))
  }
}

function ownHeap(): Heap {
  // If the option is given twice, Node uses the last.
  const given = [...(process.env['NODE_OPTIONS'] ?? '').split(' '), ...process.execArgv]
    .map((argument) => /^--max[-_]semi[-_]space[-_]size=(\d+)$/.exec(argument)?.[1])
    .findLast((found) => found !== undefined)
  // The limit includes the young generation, which V8 sizes at three semi-spaces, of 32 MB by
  // default.
  const youngBytes = 3 * Number(given ?? 32) * 1024 * 1024
  return {
    limit: Math.max(0, getHeapStatistics().heap_size_limit - youngBytes),
    readUsed: () =>
      getHeapSpaceStatistics()
        .filter(({ space_name: name }) => !name.startsWith('new_'))
        .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0),
  }
}
