import { after } from 'node:test'
import { isLane } from './queue.ts'

/** Disposed when the last file of a lane has ended, for resources that the lane's files share. */
export const laneStack = new AsyncDisposableStack()

let isShared = false

/** Whether this lane has started shared resources, which keep handles and listeners. */
export const hasShared = (): boolean => isShared

/**
 * Must be called by each file that shares something: a file that runs alone is a lane of its own.
 */
export function endLaneAfterFile(): void {
  isShared = true
  if (!isLane()) after(() => laneStack.disposeAsync())
}
