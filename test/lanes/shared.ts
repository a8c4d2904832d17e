import { after } from 'node:test'
import { isLane } from './queue.ts'

/** Disposed of when the last file of a lane has ended, for what the files of a lane share. */
export const laneStack = new AsyncDisposableStack()

/** To be called by each file that shares something: a file that runs alone is a lane of its own. */
export function endLaneAfterFile(): void {
  if (!isLane()) after(() => laneStack.disposeAsync())
}
