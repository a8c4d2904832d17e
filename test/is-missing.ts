import { execFile } from 'node:child_process'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'

/** Whether one of the commands cannot be run, so that the test is skipped with its name. */
export async function isMissing(t: TestContext, ...commands: string[][]): Promise<boolean> {
  for (const [program = '', ...args] of commands) {
    const isThere = await promisify(execFile)(program, args).then(
      () => true,
      () => false,
    )
    if (isThere) continue
    t.skip(`not run: no ${program}`)
    return true
  }
  return false
}
