import { after } from 'node:test'
import { isLane } from './queue.ts'

/** Disposed of when the last file of a lane has ended, for what the files of a lane share. */
export const laneStack = new AsyncDisposableStack()

let isShared = false

/** Whether a file of this lane has started what the others use, which holds handles and listeners. */
export const hasShared = (): boolean => isShared

/** To be called by each file that shares something: a file that runs alone is a lane of its own. */
export function endLaneAfterFile(): void {
  isShared = true
  if (!isLane()) after(() => laneStack.disposeAsync())
}
