import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Ends a child process that exits once it has no connections. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.disconnect()
  await exited
}
