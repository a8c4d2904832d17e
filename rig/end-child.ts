import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Of a child that ends itself once nobody is connected to it. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exited = once(child, 'exit')
  child.disconnect()
  await exited
}
